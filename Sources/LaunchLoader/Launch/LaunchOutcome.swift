public import EventBus

/// The outcome of a piece of launch work.
///
/// Future versions may add cases: include a `default` in each `switch`.
public enum LaunchOutcome: Sendable {
  /// It ran and returned.
  case finished
  /// It ran and threw an error; or, registered after the launch, it needs a value of another type, and did
  /// not run.
  case failed(any Error)
  /// It did not run. The associated name is that of the work responsible: a dependency that is missing
  /// or did not finish, or work whose failure stopped the launch. The name is `nil` if the condition
  /// did not hold, if the work or its launch was cancelled or the launch exceeded its time limit, or if
  /// the loader was destroyed before it launched.
  case skipped(because: LaunchID?)
  /// It exceeded its time limit.
  ///
  /// An asynchronous worker was cancelled, and the launch continued without it; the worker may still be
  /// running if it ignores cancellation. A synchronous worker cannot be interrupted: it completed, but
  /// too late. A closure that was still waiting for its actor never runs.
  case timedOut
  /// It ran, and was undone after another worker failed; or the value that it made was released, because
  /// it was made from a value that was undone.
  case undone
  /// It did not run, because work with this name was already registered.
  case duplicate(of: LaunchID)
  /// It did not run, because its loader was stopped.
  case refused
}

extension LaunchOutcome {
  /// A Boolean value that indicates whether dependants may run.
  var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// A Boolean value that indicates whether the work threw because it was cancelled.
  var isCancellation: Bool {
    guard case .failed(let error) = self else { return false }
    if case .cancelled? = (error as? LaunchError)?.code { return true }
    return error is CancellationError
  }

  /// A Boolean value that indicates whether the work itself failed.
  package var isFailure: Bool {
    switch self {
    case .failed, .timedOut: true
    case .finished, .skipped, .undone, .duplicate, .refused: false
    }
  }
}

extension LaunchOutcome: CustomStringConvertible {
  /// A short text: the outcome with its error or name.
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
    case missing(LaunchID, neededBy: LaunchID)
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
    /// The loader has launched, and can no longer be configured.
    case launched
    /// The task was cancelled while it awaited a launch that another call started.
    case cancelled
  }

  /// The reason for the error.
  public let code: Code

  /// The source sites of the registrations that `code` names, if they exist.
  public let sites: [LaunchID: SourceSite]

  /// The registered name closest to a `missing` one, or `nil` if none is close.
  ///
  /// It is searched for the first 100 faults in the dependencies of a launch.
  public let suggestion: LaunchID?

  init(_ code: Code, sites: [LaunchID: SourceSite] = [:], suggestion: LaunchID? = nil) {
    self.code = code
    self.sites = sites
    self.suggestion = suggestion
  }
}

extension LaunchError.Code: Hashable {
  /// Returns whether two reasons are the same.
  ///
  /// Outcomes and reports, which contain errors of workers, are compared by their descriptions.
  ///
  /// - Complexity: O(*n*) in the lengths of the descriptions.
  public static func == (left: LaunchError.Code, right: LaunchError.Code) -> Bool {
    left.words == right.words
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(words) }

  /// The case, and its values as text.
  private var words: [String] {
    switch self {
    case .cycle(let path): ["cycle"] + path.map(\.rawValue)
    case .missing(let id, let other): ["missing", id.rawValue, other.rawValue]
    case .mismatch(let id, let made, let needed):
      ["mismatch", id.rawValue, needed] + (made.map { [$0] } ?? [])
    case .noValue(let id, let outcome):
      ["noValue", id.rawValue] + (outcome.map { ["\($0)"] } ?? [])
    case .reentrant: ["reentrant"]
    case .failed(let report): ["failed", report.description]
    case .stopped: ["stopped"]
    case .launched: ["launched"]
    case .cancelled: ["cancelled"]
    }
  }
}

extension LaunchError {
  /// Describes a cycle.
  ///
  /// - Parameter path: A closed path: each row depends on the next one, and the last equals the first.
  init(cycle path: [LaunchRow]) {
    let sites = path.map { ($0.id, $0.registration.site.source) }
    self.init(.cycle(path.map(\.id)), sites: Dictionary(sites) { first, _ in first })
  }

  /// Describes a name that is needed but not registered.
  init(missing id: LaunchID, neededBy row: LaunchRow, suggestion: LaunchID? = nil) {
    let sites = [row.id: row.registration.site.source]
    self.init(.missing(id, neededBy: row.id), sites: sites, suggestion: suggestion)
  }

  /// Describes a name that makes no value of the type that is needed.
  init(
    mismatch need: LaunchKeys,
    _ made: LaunchKeys?,
    at site: LaunchSite,
    neededBy row: LaunchRow? = nil
  ) {
    var sites = [need.name: site.source]
    if let row { sites[row.id] = row.registration.site.source }
    let makes = made.map { "\($0.valueType)" }
    self.init(.mismatch(need.name, makes: makes, needed: "\(need.valueType)"), sites: sites)
  }
}

extension LaunchError: CustomStringConvertible {
  /// A description of the error, the registrations and lines concerned, and the remedy.
  public var description: String {
    switch code {
    case .cycle(let path):
      "launch workers depend on each other: " + path.map(placed).joined(separator: " → ")
        + "; remove one of these dependencies"
    case .missing(let id, let needer):
      "launch worker \(placed(needer)) needs \"\(id)\", which is not registered;"
        + (suggestion.map { " did you mean \"\($0)\"? Otherwise," } ?? "")
        + " register it, or depend on it with afterIfPresent:"
    case .mismatch(let id, let made, let needed):
      "launch worker \(placed(id)) makes \(made.map { "a value of type \($0)" } ?? "no value")"
        + " but " + (needers(of: id).first ?? "a caller") + " needs one of type \(needed);"
        + " use one LaunchKey for both"
    case .noValue(let id, .undone):
      "launch value \"\(id)\" was undone: another worker failed, and the launch was rolled back;"
        + " see the report of the launch"
    case .noValue(let id, nil):
      "launch made no value \"\(id)\": no worker made it; register one with a LaunchKey of this name,"
        + " and give an AppServiceRun the loader that has the value"
    case .noValue(let id, .skipped(let cause?)?):
      "launch made no value \"\(id)\": its worker was skipped because of \"\(cause)\";"
        + " see the problems and entries of the report of the launch"
    case .noValue(let id, .refused?):
      "launch made no value \"\(id)\": the loader was stopped before its worker began;"
        + " use a new LaunchLoader"
    case .noValue(let id, let outcome?):
      "launch made no value \"\(id)\": the outcome of its worker is \"\(outcome)\";"
        + " see the report of the launch, or the token of work registered after it"
    case .launched:
      "launch loader has launched: configure it before the launch"
    case .failed(let report):
      "launch failed: "
        + report.failures.map { "\($0.id) (\($0.site)) \($0.outcome)" }.joined(separator: "; ")
        + (report.failures.isEmpty ? "the time limit was reached" : "")
        + "; see the report in this error"
    case .reentrant:
      "launch worker waits for itself: its launch ends after all its workers;"
        + " name the key of a value in needs:, or await the launch in a task that no worker started"
    case .stopped:
      "launch loader was stopped before it launched: nothing ran; use a new LaunchLoader"
    case .cancelled:
      "task was cancelled while it awaited a launch: the launch continues;"
        + " await LaunchLoader.report for its report"
    }
  }

  /// The registrations that this error concerns, besides that of a name.
  private func needers(of id: LaunchID) -> [String] { sites.keys.filter { $0 != id }.map(placed) }

  private func placed(_ id: LaunchID) -> String {
    "\"\(id)\"" + (sites[id].map { " (\($0))" } ?? "")
  }
}
