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
  internal var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether the work threw because it was cancelled.
  internal var isCancellation: Bool {
    guard case .failed(let error) = self else { return false }
    if case .cancelled? = (error as? LaunchError)?.code { return true }
    return error is CancellationError
  }

  /// Whether the work itself went wrong.
  internal var isFailure: Bool {
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
