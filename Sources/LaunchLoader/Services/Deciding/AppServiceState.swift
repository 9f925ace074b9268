/// The state of a service in an application or a group.
public enum AppServiceState: String, Hashable, Sendable {
  /// Its `run` is being entered.
  case starting
  /// It has started, and is ready if its options ask for that: services that name it may start.
  case ready
  /// It was asked to stop.
  case stopping
  /// It was cancelled.
  case cancelled
  /// Its `run` has returned or thrown.
  case ended
  /// It did not end after it was cancelled, and was abandoned.
  case abandoned
}
