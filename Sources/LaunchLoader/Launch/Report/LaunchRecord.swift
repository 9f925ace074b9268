internal import EventBus

/// The contents of a report, made on first access.
///
/// ## Thread safety
///
/// All members may be called from any thread.
final class LaunchRecord: Sendable {
  private struct State: ~Copyable {
    var entries: [LaunchReport.Entry]?
    var make: (@Sendable () -> [LaunchReport.Entry])?
  }

  private let state: Locked<State>

  /// Creates the contents of a report.
  ///
  /// - Parameter make: Makes the entries, once or, if several threads read them at first, more than once.
  init(_ make: @escaping @Sendable () -> [LaunchReport.Entry]) { state = Locked(State(make: make)) }

  /// The entries of the work that has ended.
  var entries: [LaunchReport.Entry] {
    let (known, make) = state.withLock { ($0.entries, $0.make) }
    if let known { return known }
    let made = make?() ?? []
    return state.withLock { state in
      let entries = state.entries ?? made
      state.entries = entries
      state.make = nil  // Releases nothing yet: `make` still has the rows.
      return entries
    }
  }
}
