/// Why a launch, or its report, could not be had.
///
/// Errors of workers are no launch errors: they are in the ``LaunchReport``.
public struct LaunchError: Error {
  /// What can go wrong.
  ///
  /// More cases may come: keep a `default` in a `switch`.
  public enum Code: Sendable {
    /// A worker asked for the end of a launch, or of a worker, that cannot come before its own.
    case reentrant
    /// The loader was stopped before it launched.
    case stopped
    /// The task was cancelled while another one's launch was awaited.
    case cancelled
  }

  /// What went wrong.
  public let code: Code

  internal init(_ code: Code) {
    self.code = code
  }
}

extension LaunchError: CustomStringConvertible {
  /// What went wrong, and what to do about it.
  public var description: String {
    switch code {
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
}
