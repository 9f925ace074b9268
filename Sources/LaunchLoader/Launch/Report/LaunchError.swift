public import EventBus

/// An error that prevents a launch, its report or its plan.
///
/// Errors of workers are not launch errors; the ``LaunchReport`` contains them.
public struct LaunchError: Error {
  /// The reason for a launch error.
  ///
  /// Future versions may add cases: include a `default` in each `switch`.
  public enum Code: Sendable {
    /// The workers form a cycle: each depends on the next one, and the last equals the first.
    case cycle([LaunchID])
    /// Work needs a name that is not registered.
    case unknown(LaunchID, neededBy: LaunchID)
    /// Work needs a value of one type, or a caller awaits it, but the work of that name makes one of
    /// another type, or none (`nil`).
    case mismatch(LaunchID, makes: String?, needed: String)
    /// A value was awaited, and the launch ended without it. The outcome is that of the work that would
    /// have made it, `nil` if it is unknown or there was no such work.
    case noValue(LaunchID, LaunchOutcome?)
    /// A worker awaited the end of a launch, or of work, that cannot end before the worker does.
    case reentrant
    /// The policy is to stop or to roll back, and a worker failed or the time limit was reached.
    case failed(LaunchReport)
    /// The loader was stopped before it launched.
    case stopped
    /// Another host runs with the loader.
    case inUse
    /// The loader has launched, and can no longer be configured.
    case alreadyRan
    /// The task was cancelled while it awaited a launch that another call started.
    case cancelled
  }

  /// The reason for the error.
  public let code: Code

  /// The source sites of the registrations that `code` names, if they exist.
  public let sites: [LaunchID: SourceSite]

  /// The registered name closest to an `unknown` one, or `nil` if none is close.
  ///
  /// It is searched for the first 100 faults in the dependencies of a launch.
  public let suggestion: LaunchID?

  /// The work because of which the work of a `noValue` was skipped, directly or through other skipped work, and
  /// its outcome.
  private let origin: (id: LaunchID, outcome: LaunchOutcome)?

  /// The name and the line of the worker of a `reentrant` wait.
  private let worker: String?

  /// True if the value was awaited in a group that runs without a loader.
  private let isWithoutLoader: Bool

  init(
    _ code: Code,
    sites: [LaunchID: SourceSite] = [:],
    suggestion: LaunchID? = nil,
    origin: (id: LaunchID, outcome: LaunchOutcome)? = nil,
    worker: String? = nil,
    isWithoutLoader: Bool = false
  ) {
    self.code = code
    self.sites = sites
    self.suggestion = suggestion
    self.origin = origin
    self.worker = worker
    self.isWithoutLoader = isWithoutLoader
  }
}

extension LaunchError: EndedWaitError {
  /// True if a cancellation or the stop of the loader is the only cause.
  ///
  /// That includes a failed launch, all of whose failures are such errors.
  var isEndedWait: Bool {
    switch code {
    case .cancelled, .stopped: true
    case .noValue: isStoppedValue
    case .failed(let report): report.failures.allSatisfy(\.outcome.isCancellation)
    default: false
    }
  }
}

extension LaunchError {
  /// True if a value is missing because the loader was stopped before the work that makes it began, or because that
  /// was cancelled.
  var isStoppedValue: Bool {
    switch code {
    case .noValue(_, .refused?): true
    case .noValue(_, let outcome?): outcome.isCancellation
    default: false
    }
  }
}

extension LaunchError: CustomStringConvertible {
  /// A description of the error, the registrations and lines concerned, and the remedy.
  public var description: String {
    switch code {
    case .cycle(let path):
      "Launch workers depend on each other: " + path.map(placed).joined(separator: " → ")
        + ". Remove one of these dependencies."
    case .unknown(let id, let needer):
      "Launch worker \(placed(needer)) needs \"\(id)\", which is not registered. "
        + (suggestion.map { "Did you mean \"\($0)\"? Otherwise, register" } ?? "Register")
        + " it, or depend on it with `afterIfPresent`."
    case .mismatch(let id, let made, let needed):
      "Launch worker \(placed(id)) makes \(made.map { "a value of type \($0)" } ?? "no value"),"
        + " but " + (needers(of: id).first ?? "a caller") + " needs one of type \(needed)."
        + " Use one LaunchKey for both."
    case .noValue(let id, .undone):
      "Could not read \"\(id)\": it was undone, because another worker failed and the launch was rolled back."
        + " See the launch report."
    case .noValue(let id, .finished?):
      "Could not read \"\(id)\": it was closed, because the services have stopped. Use a new LaunchLoader."
    case .noValue(let id, nil):
      isWithoutLoader
        ? "Could not read \"\(id)\": the group runs without a LaunchLoader. Pass the one that makes it to start."
        : "Could not read \"\(id)\": no launch work makes it. Register some with a LaunchKey of this name."
    case .noValue(let id, .skipped(let cause?)?):
      "Could not read \"\(id)\": its launch work was skipped because of \"\(cause)\"."
        + (origin.map { " \("\"\($0.id)\" \($0.outcome)".asSentence)" } ?? "")
        + " See the problems and entries of the launch report."
    case .noValue(let id, .refused?):
      "Could not read \"\(id)\": the loader was stopped before its launch work began. Use a new LaunchLoader."
    case .noValue(let id, let outcome?):
      "Could not read \"\(id)\": its launch work \(outcome)".asSentence
        + " See the launch report, or the registration of work registered after the launch."
    case .alreadyRan:
      "The loader has already launched. Configure it before the launch."
    case .failed(let report):
      "The launch failed: "
        + report.failures.map { "\($0.id) (\($0.site)) \($0.outcome)" }.joined(separator: "; ")
        .asSentence
        + (report.failures.isEmpty ? "the time limit was reached." : "")
        + " See the report in this error."
    case .reentrant:
      "Launch worker \(worker.map { "\($0) " } ?? "")waits for itself: its launch ends after all its workers."
        + " Name the key of a value in `needs`, or await the launch in a task that no worker started."
    case .stopped:
      "The loader was stopped before it launched, so nothing ran. Use a new LaunchLoader."
    case .inUse:
      "Another running AppHost uses this loader. Give each host its own: AppHost(loader: LaunchLoader())."
    case .cancelled:
      "The task was cancelled while it awaited a launch, which continues."
        + " Await LaunchLoader.report() for its report."
    }
  }

  /// The registrations that this error concerns, besides that of a name.
  private func needers(of id: LaunchID) -> [String] { sites.keys.filter { $0 != id }.map(placed) }

  private func placed(_ id: LaunchID) -> String {
    "\"\(id)\"" + (sites[id].map { " (\($0))" } ?? "")
  }
}
