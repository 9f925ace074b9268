/// Something that belongs to one actor, which it does not keep.
package protocol ActorMember: AnyObject, Sendable {
  /// Whether this belongs to that very actor, and not to a former one at its address.
  func serves(_ actor: any Actor) -> Bool

  /// Whether its actor has died.
  ///
  /// Loads the actor, so that it is never asked under a lock: the load may be the last to let it go.
  var isAbandoned: Bool { get }
}

/// One member for each actor, made when it is first asked for.
///
/// **Bound.** Members of dead actors are let go when the table has doubled since it was last swept: there
/// are at most max(8, 2 × living actors) after any addition.
package final class ActorTable<Member: ActorMember>: Sendable {
  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    var roomBeforeSweep = 8
  }

  private let state = Locked(State())

  /// Creates an empty table.
  package init() {}

  /// How many members there are, those of dead actors included.
  package var count: Int { state.withLock { $0.members.count } }

  /// The member of an actor, if it has one.
  ///
  /// - Complexity: O(1), one lock.
  package func member(of actor: any Actor) -> Member? {
    let known = state.withLock { $0.members[ObjectIdentifier(actor)] }
    return known.flatMap { $0.serves(actor) ? $0 : nil }
  }

  /// The member of an actor, made if there is none.
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - make: Makes the member. Another thread may win; then what was made is let go.
  /// - Returns: The one member there is.
  /// - Complexity: Amortized O(1).
  package func member(of actor: any Actor, orMake make: () -> Member) -> Member {
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
      state.members.count >= state.roomBeforeSweep ? state.members : [:]
    }
    if members.isEmpty { return }
    let abandoned = members.filter { $0.value.isAbandoned }
    state.withLock { state in
      for (id, member) in abandoned where state.members[id] === member { state.members[id] = nil }
      state.roomBeforeSweep = max(8, 2 * state.members.count)
    }
  }
}

/// An actor that is not kept.
///
/// The main actor never dies, and a weak reference would make every reference to it dearer for the whole
/// process: it is known by its identity alone.
///
/// To one that is being destroyed no weak reference can be formed: it is gone from the start.
package struct WeakActor: Sendable {
  private weak let reference: (any Actor)?
  /// The actor's identity.
  package let id: ObjectIdentifier
  /// Whether it is the main actor.
  package let isMain: Bool

  /// Refers to an actor.
  package init(_ actor: any Actor) {
    id = ObjectIdentifier(actor)
    isMain = actor === MainActor.shared
    reference = isMain ? nil : actor
  }

  /// The actor, while it lives.
  package var actor: (any Actor)? { isMain ? MainActor.shared : reference }

  /// Whether the actor has died.
  package var isGone: Bool { !isMain && reference == nil }

  /// Whether this is that very actor, and not a former one at its address.
  package func isSame(as other: any Actor) -> Bool {
    id == ObjectIdentifier(other) && (isMain || reference === other)
  }
}

/// Objects that are not kept and that take themselves out when they die.
///
/// No reference is loaded while it changes, so that it may change under a lock; ask a copy for the
/// ``living`` after unlocking.
package struct WeakObjects<Object: AnyObject & Sendable>: Sendable {
  private struct Place: Sendable {
    weak let object: Object?
  }

  private var places: [ObjectIdentifier: Place] = [:]

  /// Nothing.
  package init() {}

  /// Adds an object.
  package mutating func insert(_ object: Object) {
    places[ObjectIdentifier(object)] = Place(object: object)
  }

  /// Removes an object that is dying.
  package mutating func remove(_ identity: ObjectIdentifier) { places[identity] = nil }

  /// The objects that are alive, in no order.
  ///
  /// Never asked under a lock.
  package var living: [Object] { places.values.compactMap(\.object) }
}
