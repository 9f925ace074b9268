/// The parameters of an `observe` call, other than its owner and its handler.
struct ObserveRequest<Payload: Sendable> {
  /// The only sender whose events are delivered; `nil` for any sender.
  let sender: AnyObject?
  let priority: Priority
  /// Whether the registration ends with its first call.
  let once: Bool
  /// The filter, called on the posting thread.
  let predicate: (@Sendable (Payload) -> Bool)?
  /// The number of events to keep while an asynchronous handler or a consumer is busy.
  let limit: BufferLimit
  /// The file of the registration.
  let fileID: StaticString
  /// The line of the registration.
  let line: UInt

  init(
    _ sender: AnyObject? = nil,
    _ priority: Priority = .normal,
    _ once: Bool = false,
    _ predicate: (@Sendable (Payload) -> Bool)? = nil,
    limit: BufferLimit = .unlimited,
    at fileID: StaticString,
    _ line: UInt
  ) {
    (self.sender, self.priority, self.once, self.predicate) = (sender, priority, once, predicate)
    (self.limit, self.fileID, self.line) = (limit, fileID, line)
  }

  /// Whether every event is delivered.
  var isPlain: Bool { !once && sender == nil && predicate == nil }

  var conditions: ConditionalObserver<Payload>.Conditions {
    .init(predicate: predicate, once: once)
  }
}

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
