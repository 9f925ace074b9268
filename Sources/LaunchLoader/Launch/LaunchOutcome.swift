public import EventBus

/// How a piece of launch work ended.
///
/// More cases may come: keep a `default` in a `switch`.
public enum LaunchOutcome: Sendable {
  /// It ran and returned.
  case finished
  /// It ran and threw. The other workers ran all the same.
  case failed(any Error)
  /// It did not run: because of the work of this name, which it needs, which is missing, or which failed
  /// and stopped the launch; or, with `nil`, because its condition did not hold, because it or its launch
  /// was cancelled or took too long, or because its loader was destroyed before it launched.
  case skipped(because: LaunchID?)
  /// It took longer than it was allowed to.
  ///
  /// An asynchronous worker was cancelled, and the launch went on without it; it may still run if it
  /// ignores that. A synchronous one cannot be interrupted: it did its work, too late. A closure of an actor
  /// that waited for its actor until then never runs.
  case timedOut
  /// It ran, and was undone after another worker failed.
  case undone
  /// It did not run: work of that name was registered before it.
  case duplicate(of: LaunchID)
  /// It did not run: its loader was stopped.
  case refused
}

extension LaunchOutcome {
  /// Whether those that need the work may go on.
  var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether the work threw because it was cancelled.
  var isCancellation: Bool {
    guard case .failed(let error) = self else { return false }
    if case .cancelled? = (error as? LaunchError)?.code { return true }
    return error is CancellationError
  }

  /// Whether the work itself went wrong.
  var isFailure: Bool {
    switch self {
    case .failed, .timedOut: true
    case .finished, .skipped, .undone, .duplicate, .refused: false
    }
  }
}

extension LaunchOutcome: CustomStringConvertible {
  /// The outcome in a word or a few, with the error or the name that belongs to it.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(error)"
    case .skipped(nil): "skipped"
    case .skipped(let id?): "skipped because of \(id)"
    case .timedOut: "timed out"
    case .undone: "undone"
    case .duplicate(let id): "duplicate of \(id)"
    case .refused: "refused"
    }
  }
}

/// Why a launch, its report or its plan could not be had.
///
/// Errors of workers are no launch errors: they are in the ``LaunchReport``.
public struct LaunchError: Error {
  /// What can go wrong.
  ///
  /// More cases may come: keep a `default` in a `switch`.
  public enum Code: Sendable {
    /// Workers wait for each other: each for the next one, and the last one is the first one again.
    case cycle([LaunchID])
    /// Nobody registered work of a name that other work needs.
    case missing(LaunchID, neededBy: LaunchID)
    /// A worker asked for the end of a launch, or of a worker, that cannot come before its own.
    case reentrant
    /// The policy is to stop, or to roll back, and a worker failed or the time was up.
    case failed(LaunchReport)
    /// The loader was stopped before it launched.
    case stopped
    /// The task was cancelled while another one's launch was awaited.
    case cancelled
  }

  /// What went wrong.
  public let code: Code

  /// Where the work that `code` names was registered, as far as it was.
  public let sites: [LaunchID: SourceSite]

  /// Creates an error.
  init(_ code: Code, sites: [LaunchID: SourceSite] = [:]) {
    self.code = code
    self.sites = sites
  }
}

extension LaunchError {
  /// Says what is wrong with dependencies, and where they are written.
  init(_ problem: LaunchProblem) {
    switch problem {
    case .cycle(let rows):
      let sites = rows.map { ($0.id, $0.registration.site.source) }
      self.init(.cycle(rows.map(\.id)), sites: Dictionary(sites) { first, _ in first })
    case .missing(let id, let row):
      self.init(.missing(id, neededBy: row.id), sites: [row.id: row.registration.site.source])
    }
  }
}

extension LaunchError: CustomStringConvertible {
  /// What went wrong, whom and which lines it concerns, and what to do about it.
  public var description: String {
    switch code {
    case .cycle(let path):
      "launch workers wait for each other: " + path.map(placed).joined(separator: " → ")
        + "; take one of these dependencies away"
    case .missing(let id, let needer):
      "launch worker \(placed(needer)) needs \"\(id)\", which nobody registered;"
        + " register it, or depend on it with afterIfPresent:"
    case .failed(let report):
      "launch failed: "
        + report.failures.map { "\($0.id) (\($0.site)) \($0.outcome)" }.joined(separator: "; ")
        + (report.failures.isEmpty ? "its time was up" : "")
        + "; the report has the rest"
    case .reentrant:
      "launch worker waits for itself: its launch ends after all its workers;"
        + " wait in a task that no worker started"
    case .stopped:
      "launch loader was stopped before it launched: nothing ran; use a new LaunchLoader"
    case .cancelled:
      "task was cancelled while it awaited another launch: the launch goes on;"
        + " its report is in LaunchLoader.report"
    }
  }

  private func placed(_ id: LaunchID) -> String {
    "\"\(id)\"" + (sites[id].map { " (\($0))" } ?? "")
  }
}
