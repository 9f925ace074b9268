/// The registrations that end with a lifetime or a bag, in the order in which they joined.
///
/// A separate object, so that a registration that is cancelled on another thread can still leave while the
/// lifetime is being deallocated.
///
/// ```
/// lifetime ──owns──► members ──own──► registration ──► members     (the cycle ends with the lifetime)
/// ```
package final class EndingMembers: Sendable {
  /// What the lifetime or bag is to a registration.
  package enum Role: Sendable {
    /// The lifetime of the owner.
    case owner
    /// It keeps the registration instead of its token.
    case keeper
  }

  /// A registration, and what the lifetime or bag is to it.
  package typealias Member = (registration: Registration, role: Role)

  /// A position in a group, for a registration that ends early.
  struct Membership: Sendable {
    fileprivate let members: EndingMembers
    fileprivate let number: UInt

    /// Leaves the group; does nothing if the registration has left it.
    ///
    /// - Complexity: O(log *n*), amortized.
    func leave() {
      let member = members.list.withLock { $0?.remove(number: number) }
      withExtendedLifetime(member) {}
    }
  }

  /// The members, or `nil` once the group has ended and accepts no more.
  private let list = Locked<NumberedList<Member>?>(NumberedList())

  /// Creates an empty group.
  package init() {}

  /// The number of members.
  package var count: Int { list.withLock { $0?.count ?? 0 } }

  /// A Boolean value that indicates whether the group has ended and accepts no more members.
  package var hasEnded: Bool { list.withLock { $0 == nil } }

  /// Adds a registration.
  ///
  /// - Returns: The membership, or `nil` when the group has ended.
  /// - Complexity: Amortized O(1).
  func join(_ registration: Registration, as role: Role) -> Membership? {
    let number = list.withLock { $0?.append((registration, role)) }
    return number.map { Membership(members: self, number: $0) }
  }

  /// Ends every member, oldest first, under no lock.
  ///
  /// Hooks and the closures of tokens may post; no handler of a later member is called by then.
  ///
  /// - Parameter isFinal: Pass `true` to accept no more members.
  package func end(isFinal: Bool) { Self.end(takeAll(isFinal: isFinal)) }

  /// Removes every member, and stops its calls, without ending it.
  ///
  /// - Parameter isFinal: Pass `true` to accept no more members.
  /// - Returns: The members, oldest first, for ``end(_:)``.
  func takeAll(isFinal: Bool) -> [Member] {
    let members = list.withLock { list in
      defer { if isFinal { list = nil } }
      return list?.removeAll() ?? []
    }
    for (registration, role) in members { registration.stopCalls(as: role) }
    return members
  }

  /// Ends members that were removed, in order.
  package static func end(_ members: [Member]) {
    for (registration, role) in members { registration.end(as: role) }
  }
}
