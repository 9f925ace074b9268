/// Keeps tokens and cancels them together, at the latest when it dies.
///
/// ```swift
/// let bag = TokenBag()
/// bus.observe(.userDidLogIn) { _ in }.store(in: bag)
/// bag.cancelAll()
/// ```
///
/// A member that is cancelled early leaves the bag by itself.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Tokens are cancelled in the order they were stored, outside
/// every lock, on the thread that asked for it or let the bag go.
public final class TokenBag: Sendable {
  /// What the bag keeps, for those who add to it.
  package let members = EndingMembers()

  /// Creates an empty bag.
  public init() {}

  deinit { members.end(isFinal: true) }

  /// How many tokens the bag keeps.
  ///
  /// - Complexity: O(1).
  public var count: Int { members.count }

  /// Cancels every token.
  ///
  /// The bag is empty then and can be used again.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  public func cancelAll() { members.end(isFinal: false) }

  /// Cancels every token and closes the bag: what is stored from now on is cancelled at once.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  public func end() { members.end(isFinal: true) }
}

/// The members of a lifetime or a bag: what ends when it ends, in the order of joining.
///
/// It is an object of its own so that a member that is cancelled on another thread may look for its
/// place while the lifetime is being destroyed.
///
/// ```
/// lifetime ──owns──► members ──owns──► token ──► members     (the cycle ends with the lifetime)
/// ```
package final class EndingMembers: Sendable {
  /// Something that ends with a lifetime.
  package protocol Member: AnyObject, Sendable {
    /// Called once, under no lock, when the lifetime ends, before the first member is ended: no call of a
    /// handler begins from now on, although the registration is not removed yet.
    func stopCalls()

    /// Called once, under no lock, when the lifetime ends.
    func lifetimeEnded()
  }

  /// A member's place.
  package typealias Ticket = TicketList<any Member>.Ticket

  private struct State {
    var members = TicketList<any Member>()
    var hasEnded = false
  }

  private let state = Locked(State())

  /// Creates an empty group.
  package init() {}

  /// How many members there are.
  package var count: Int { state.withLock { $0.members.count } }

  /// Whether it takes no more members.
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Adds a member.
  ///
  /// - Returns: Its place, or `nil` when the group has ended.
  /// - Complexity: Amortized O(1).
  package func join(_ member: any Member) -> Ticket? {
    state.withLock { $0.hasEnded ? nil : $0.members.append(member) }
  }

  /// Removes a member that ended early.
  ///
  /// Removing it twice does nothing.
  ///
  /// - Complexity: O(log *n*), amortized.
  package func leave(_ ticket: Ticket) {
    let member = state.withLock { $0.members.remove(ticket) }
    withExtendedLifetime(member) {}
  }

  /// Ends every member, oldest first, under no lock.
  ///
  /// A hook, or whatever a token does at its end, may post: by then no handler of a later member is called.
  ///
  /// - Parameter isFinal: Whether the group then takes no more members.
  package func end(isFinal: Bool) {
    let members = state.withLock { state in
      if isFinal { state.hasEnded = true }
      return state.members.removeAll()
    }
    for member in members { member.stopCalls() }
    for member in members { member.lifetimeEnded() }
  }
}

extension EndingMembers.Member {
  package func stopCalls() {}
}
