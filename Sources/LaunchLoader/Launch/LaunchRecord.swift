internal import EventBus

/// What a report is made of, made into its entries when somebody asks for them.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
internal final class LaunchRecord: Sendable {
  private struct State {
    var rows: [LaunchRow] = []
    var entries: [LaunchReport.Entry]?
  }

  private let state: Locked<State>

  /// Keeps the rows of a launch.
  internal init(_ rows: [LaunchRow]) { state = Locked(State(rows: rows)) }

  /// Keeps entries as they are.
  internal init(_ entries: [LaunchReport.Entry]) { state = Locked(State(entries: entries)) }

  /// The entries of the rows that have ended.
  internal var entries: [LaunchReport.Entry] {
    let (known, rows) = state.withLock { ($0.entries, $0.rows) }
    if let known { return known }
    let made = rows.compactMap(LaunchReport.Entry.init)
    return state.withLock { state in
      let entries = state.entries ?? made
      state.entries = entries
      state.rows = []  // Not the last ones: `rows` has them still.
      return entries
    }
  }
}
