/// How a piece of launch work ended.
///
/// More cases may come: keep a `default` in a `switch`.
public enum LaunchOutcome: Sendable {
  /// It ran and returned.
  case finished
  /// It ran and threw. The other workers ran all the same.
  case failed(any Error)
  /// It did not run: because of another worker, or, with `nil`, because it was cancelled, its launch
  /// was cancelled, or its loader was destroyed before it launched.
  case skipped(because: LaunchID?)
  /// It took longer than it was allowed to. So far nothing limits its time.
  case timedOut
  /// It ran, and was undone after another worker failed. So far nothing is undone.
  case undone
  /// It did not run: work of that name was registered before it.
  case duplicate(of: LaunchID)
  /// It did not run: its loader was stopped.
  case refused
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
