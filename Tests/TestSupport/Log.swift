internal import EventBus

/// Collects entries from any thread, in the order they arrive.
public final class Log<Entry: Sendable>: Sendable {
  private struct State {
    var entries: [Entry] = []
  }

  private let state = Locked(State())

  /// Creates an empty log.
  public init() {}

  /// Everything collected so far, oldest first.
  public var entries: [Entry] { state.withLock { $0.entries } }

  /// The number of entries.
  public var count: Int { state.withLock { $0.entries.count } }

  /// Adds one entry at the end.
  public func append(_ entry: Entry) { state.withLock { $0.entries.append(entry) } }

  /// Empties the log and returns its entries.
  @discardableResult
  public func take() -> [Entry] {
    state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
  }
}
