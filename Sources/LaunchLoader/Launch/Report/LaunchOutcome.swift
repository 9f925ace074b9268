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

  /// A Boolean value that indicates whether the work threw because it was cancelled, or because the program stops.
  var isCancellation: Bool {
    if case .failed(let error) = self { error.isOfEndedWait } else { false }
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
