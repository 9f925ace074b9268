public import EventBus

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
  internal init(_ code: Code, sites: [LaunchID: SourceSite] = [:]) {
    self.code = code
    self.sites = sites
  }
}

extension LaunchError {
  /// Says what is wrong with dependencies, and where they are written.
  internal init(_ problem: LaunchProblem) {
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
