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
