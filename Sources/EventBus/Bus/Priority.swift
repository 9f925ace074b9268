/// The position of an observer in the order of calls: higher priorities first, and observers of equal
/// priority in the order of registration.
///
/// ```swift
/// let didSave = Signal<Void>()
/// let indexing = didSave.observe(priority: .low) { print("then the index") }
/// let backup = didSave.observe(priority: 42) { print("first the backup") }
/// didSave.send()
/// ```
///
/// Every number is valid. Use few different ones, because the library keeps one list for each.
public struct Priority: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number; observers with a higher one are called first.
  public let rawValue: Int

  /// The priority for observers called after those of normal priority: −100.
  public static let low = Priority(-100)
  /// The default priority: 0.
  public static let normal = Priority(0)
  /// The priority for observers called before those of normal priority: 100.
  public static let high = Priority(100)

  /// Creates a priority from a number.
  public init(_ rawValue: Int) { self.rawValue = rawValue }

  /// Creates a priority from an integer literal.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Returns whether the first priority is lower than the second, so that its observers are called later.
  public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

extension ObserveRequest {
  /// Describes a registration by the parameters of `observe`.
  init(
    _ sender: AnyObject?,
    _ priority: Priority,
    _ once: Bool,
    limit: BufferLimit = .unlimited,
    at site: CallSite
  ) {
    self.init(
      at: site,
      from: sender,
      priority: priority.rawValue,
      once: once,
      limit: limit
    )
  }
}
