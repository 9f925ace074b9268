/// The hooks and tokens that end with a lifetime or a bag, in the order in which they joined.
///
/// A separate object, so that a member that is cancelled on another thread can still leave while the
/// lifetime is being deallocated.
///
/// ```
/// lifetime ──owns──► members ──owns──► token ──► members     (the cycle ends with the lifetime)
/// ```
package final class EndingMembers: Sendable {
  /// An object that ends with a lifetime.
  package protocol Member: AnyObject, Sendable {
    /// Prevents new calls of the handler, before the registration is removed.
    ///
    /// Called once, under no lock, when the lifetime ends and before its first member does.
    func stopCalls()

    /// Ends the registration.
    ///
    /// Called once, under no lock, when the lifetime ends.
    func lifetimeEnded()
  }

  /// A position in a group, for a member that ends early.
  package struct Membership: Sendable {
    /// The group.
    package let members: EndingMembers
    fileprivate let number: UInt

    /// Leaves the group; does nothing if the member has left it.
    ///
    /// - Complexity: O(log *n*), amortized.
    package func leave() {
      let member = members.list.withLock { $0?.remove(number: number) }
      withExtendedLifetime(member) {}
    }
  }

  /// The members, or `nil` once the group has ended and accepts no more.
  private let list = Locked<NumberedList<any Member>?>(NumberedList())

  /// Creates an empty group.
  package init() {}

  /// The number of members.
  package var count: Int { list.withLock { $0?.count ?? 0 } }

  /// A Boolean value that indicates whether the group has ended and accepts no more members.
  package var hasEnded: Bool { list.withLock { $0 == nil } }

  /// Adds a member.
  ///
  /// - Returns: The membership, or `nil` when the group has ended.
  /// - Complexity: Amortized O(1).
  package func join(_ member: any Member) -> Membership? {
    let number = list.withLock { $0?.append(member) }
    return number.map { Membership(members: self, number: $0) }
  }

  /// Ends every member, oldest first, under no lock.
  ///
  /// Hooks and the closures of tokens may post; no handler of a later member is called by then.
  ///
  /// - Parameter isFinal: Pass `true` to accept no more members.
  package func end(isFinal: Bool) { Self.end(takeAll(isFinal: isFinal)) }

  /// Removes every member without ending it.
  ///
  /// - Parameter isFinal: Pass `true` to accept no more members.
  /// - Returns: The members, oldest first, for ``end(_:)``.
  func takeAll(isFinal: Bool) -> [any Member] {
    list.withLock { list in
      defer { if isFinal { list = nil } }
      return list?.removeAll() ?? []
    }
  }

  /// Ends members that were removed, in order.
  package static func end(_ members: [any Member]) {
    for member in members { member.stopCalls() }
    for member in members { member.lifetimeEnded() }
  }
}

extension EndingMembers.Member {
  func stopCalls() {}
}
