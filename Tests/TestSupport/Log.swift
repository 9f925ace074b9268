internal import Synchronization

/// Collects entries from any thread, in the order they arrive.
public final class Log<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])

  /// Creates an empty log.
  public init() {}

  /// Everything collected so far, oldest first.
  public var entries: [Entry] { storage.withLock { $0 } }

  /// Adds one entry at the end.
  public func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }
}
