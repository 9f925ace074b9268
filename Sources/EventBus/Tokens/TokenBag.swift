/// A collection of tokens that are cancelled together, at the latest when the bag is deallocated.
///
/// ```swift
/// let didTick = Signal<Int>()
/// let bag = TokenBag()
/// didTick.observe { tick in print("tick \(tick)") }.store(in: bag)
/// didTick.observe { tick in print("tock \(tick)") }.store(in: bag)
/// bag.cancelAll()
/// ```
///
/// A token that is cancelled early leaves the bag.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Tokens are cancelled in the order in which they were stored,
/// outside every lock, on the thread that cancels or releases the bag.
public final class TokenBag: Sendable {
  /// The tokens of the bag.
  package let members = EndingMembers()

  /// Creates an empty bag.
  public init() {}

  deinit { members.end(isFinal: true) }

  /// The number of tokens in the bag.
  ///
  /// - Complexity: O(1).
  public var count: Int { members.count }

  /// Cancels every token.
  ///
  /// The bag is empty afterwards and can be reused.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  public func cancelAll() { members.end(isFinal: false) }

  /// Cancels every token and closes the bag, which cancels tokens stored later at once.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  public func end() { members.end(isFinal: true) }
}

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

  /// A place in a group, for a member that ends early.
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
  package func takeAll(isFinal: Bool) -> [any Member] {
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
  package func stopCalls() {}
}
