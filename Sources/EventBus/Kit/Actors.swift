/// The identity of an actor, which is not retained.
///
/// A later actor may have the identity of one that was deallocated.
public struct ActorIdentity: Hashable, Sendable, CustomStringConvertible {
  /// The identity of the object.
  public let id: ObjectIdentifier
  private let type: any Actor.Type

  package init(_ actor: any Actor) {
    id = ObjectIdentifier(actor)
    type = Swift.type(of: actor)
  }

  /// The name of the actor's type.
  public var description: String { "\(type)" }

  /// Returns whether both are the identity of one object.
  public static func == (left: ActorIdentity, right: ActorIdentity) -> Bool { left.id == right.id }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A weak reference to an actor.
///
/// The main actor is stored by identity alone: it is never deallocated, and a weak reference would slow
/// down every reference to it in the whole process.
///
/// A weak reference cannot be formed to an actor that is being deallocated; such an actor is gone from the
/// start.
package struct WeakActor: Sendable {
  private weak let reference: (any Actor)?
  /// The actor's identity.
  package let id: ObjectIdentifier
  /// True if this is the main actor.
  let isMain: Bool

  /// Creates a reference to an actor.
  package init(_ actor: any Actor) {
    id = ObjectIdentifier(actor)
    isMain = actor === MainActor.shared
    reference = isMain ? nil : actor
  }

  /// The actor, or `nil` once it has been deallocated.
  package var actor: (any Actor)? { isMain ? MainActor.shared : reference }

  /// True if the actor has been deallocated.
  package var isGone: Bool { !isMain && reference == nil }

  /// Returns whether this refers to the given actor, rather than to an earlier one at the same address.
  package func isSame(as other: any Actor) -> Bool {
    id == ObjectIdentifier(other) && (isMain || reference === other)
  }
}

/// An object that belongs to one actor, without keeping it alive.
package protocol ActorMember: AnyObject, Sendable {
  /// Returns whether the member belongs to this actor, rather than to an earlier one at the same address.
  func serves(_ actor: any Actor) -> Bool

  /// True if the actor has been deallocated.
  ///
  /// Never read under a lock: the getter loads the actor and may release its last reference.
  var isAbandoned: Bool { get }
}

/// A table with one member for each actor, created on first use.
///
/// **Bound.** A sweep releases the members of deallocated actors whenever the table has doubled since the
/// last sweep. After any insertion the table holds at most max(8, 2 × living actors) members, besides that of
/// the main actor.
///
/// The main actor, which most handlers run on, has its own member, found without a lock.
package struct ActorTable<Member: ActorMember>: ~Copyable, Sendable {
  private let ofMainActor = LazyReference<Member>()
  private let state = Locked<(members: [ObjectIdentifier: Member], sweepCount: Int)>(([:], 8))

  /// Creates an empty table.
  package init() {}

  /// The number of members, including those of deallocated actors.
  package var count: Int {
    state.withLock { $0.members.count } + (ofMainActor.object == nil ? 0 : 1)
  }

  /// All members, in no order.
  package var members: [Member] {
    state.withLock { Array($0.members.values) } + (ofMainActor.object.map { [$0] } ?? [])
  }

  /// Returns the member of an actor, if it has one.
  ///
  /// - Complexity: O(1), one lock, or none for the main actor.
  package func member(of actor: any Actor) -> Member? {
    if actor === MainActor.shared { return ofMainActor.object }
    let known = state.withLock { $0.members[ObjectIdentifier(actor)] }
    return known.flatMap { $0.serves(actor) ? $0 : nil }
  }

  /// Calls a closure with the member of an actor, if it has one.
  ///
  /// The member of the main actor is not retained: the table keeps it.
  ///
  /// - Returns: The closure's result, or `nil` if the actor has no member.
  package func with<Result>(memberOf actor: any Actor, _ body: (Member) -> Result) -> Result? {
    actor === MainActor.shared ? ofMainActor.borrow(body) : member(of: actor).map(body)
  }

  /// Returns the member of an actor, creating it if there is none.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - make: Creates the member. If another thread is first, the new member is discarded.
  /// - Returns: The only member of the actor.
  /// - Complexity: Amortized O(1).
  package func member(of actor: any Actor, orMake make: () -> Member) -> Member {
    if actor === MainActor.shared { return ofMainActor.object(orMake: make) }
    let id = ObjectIdentifier(actor)
    while true {
      let known = state.withLock { $0.members[id] }
      if let known, known.serves(actor) { return known }
      sweepIfFull()
      let made = make()
      let isFirst = state.withLock { state in
        guard state.members[id] === known else { return false }
        state.members[id] = made
        return true
      }
      if isFirst { return made }
    }
  }

  private func sweepIfFull() {
    let members = state.withLock { state in
      state.members.count >= state.sweepCount ? state.members : [:]
    }
    if members.isEmpty { return }
    let abandoned = members.filter { $0.value.isAbandoned }
    state.withLock { state in
      for (id, member) in abandoned where state.members[id] === member { state.members[id] = nil }
      state.sweepCount = max(8, 2 * state.members.count)
    }
  }
}
