/// An object that belongs to one actor, without keeping it alive.
package protocol ActorMember: AnyObject, Sendable {
  /// Returns whether the member belongs to this actor, rather than to an earlier one at the same address.
  func serves(_ actor: any Actor) -> Bool

  /// A Boolean value that indicates whether the actor has been deallocated.
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
/// The main actor, which most handlers run on, has a member of its own, found without a lock.
package final class ActorTable<Member: ActorMember>: Sendable {
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
