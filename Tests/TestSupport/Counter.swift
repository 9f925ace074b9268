internal import Synchronization

/// A number that any thread may count up.
///
/// Counting orders nothing else: threads that count here are not synchronized by it, so that
/// ThreadSanitizer still sees a race between them.
public final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  /// Creates a counter at zero.
  public init() {}

  /// The number now.
  public var value: Int { number.load(ordering: .relaxed) }

  /// Adds to the number.
  ///
  /// - Returns: The new number.
  @discardableResult
  public func add(_ amount: Int = 1) -> Int {
    number.add(amount, ordering: .relaxed).newValue
  }
}
