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
