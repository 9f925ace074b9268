/// What an `observe` call asks for, besides its predicate and its handler.
struct ObserveRequest {
  /// The only sender to listen to.
  var sender: AnyObject?
  /// Who is told first.
  let priority: Priority
  /// Whether the first call is the last.
  let once: Bool
  /// Where the registration was written.
  let fileID: StaticString
  /// Its line.
  let line: UInt

  /// Whether every event is wanted.
  var isPlain: Bool { !once && sender == nil }
}

/// Who is told first: observers of higher priority, and among equals who registered first.
///
/// ```swift
/// let indexing = bus.observe(.didSave, priority: .low) { print("then the index") }
/// let backup = bus.observe(.didSave, priority: 42) { print("first the backup") }
/// ```
///
/// Any number will do; few different ones are best, because each has a list of its own.
public struct Priority: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number: higher comes first.
  public let rawValue: Int

  /// After those that did not ask: −100.
  public static let low = Priority(-100)
  /// The priority of who does not ask: 0.
  public static let normal = Priority(0)
  /// Before those that did not ask: 100.
  public static let high = Priority(100)

  /// Makes a priority of a number.
  public init(_ rawValue: Int) { self.rawValue = rawValue }

  /// Makes a priority of a literal.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Whether the left comes after the right.
  public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}
