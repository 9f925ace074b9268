/// An error of this library with which a wait may end because the program stops.
protocol EndedWaitError: Error {
  /// A Boolean value that indicates whether the error says only that a wait has ended, because the program stops or
  /// a task was cancelled.
  var isEndedWait: Bool { get }
}

extension Error {
  /// A Boolean value that indicates whether the error says only that a wait has ended, because the program stops or
  /// a task was cancelled.
  ///
  /// While the program stops, such an error is no failure.
  var isOfEndedWait: Bool {
    self is CancellationError || (self as? any EndedWaitError)?.isEndedWait ?? false
  }
}
