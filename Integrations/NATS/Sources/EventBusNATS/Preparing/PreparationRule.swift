/// The rule for the preparation of a stream, a consumer or a subscription at the server: the times of its attempts,
/// and its state.
package struct PreparationRule: Sendable {
  /// The state of the preparation.
  package enum Standing: Sendable, Equatable {
    /// There was no attempt yet, or the last one failed for a temporary reason.
    case open
    /// The last attempt has succeeded.
    case prepared
    /// The server forbids it, or rejects it as it is configured; further attempts follow, as this may change.
    case denied(LinkFailure)
    /// No further attempt follows.
    case refused(LinkFailure)
  }

  /// The action after an attempt.
  package enum Step: Sendable, Equatable {
    /// Nothing.
    case rest
    /// Begin at once.
    case begin
    /// Begin after a pause.
    case pause(Duration)
  }

  /// The state of the preparation.
  package private(set) var standing = Standing.open
  /// The number of the running attempt or of the current pause.
  package private(set) var attempt = 0
  private var isRunning = false
  private var isWanted = false
  private var failures = 0
  /// The denial that arrived during an attempt, which may not have noticed it.
  private var meanwhile: LinkFailure?
  /// The number of permissions that the server has withdrawn since the last reconnection.
  private var denials = 0

  /// Creates a rule without an attempt.
  package init() {}

  /// Notes that an attempt is wanted: the first one, or another one as the server may have lost the result.
  ///
  /// - Parameter isNew: Whether permissions may have changed, as after a reconnection.
  /// - Returns: Whether it begins now; a pause ends.
  package mutating func want(isNew: Bool = false) -> Step {
    if isNew { (failures, denials) = (0, 0) }
    if case .refused = standing { return .rest }
    isWanted = isRunning
    if isRunning { return .rest }
    return begin()
  }

  /// Notes the end of a pause.
  ///
  /// - Parameter attempt: The number of the pause; that of an earlier one does nothing.
  /// - Returns: Whether the next attempt begins.
  package mutating func pauseEnded(_ attempt: Int) -> Step {
    guard attempt == self.attempt, !isRunning else { return .rest }
    return begin()
  }

  private mutating func begin() -> Step {
    (isRunning, meanwhile) = (true, nil)
    attempt += 1
    return .begin
  }

  /// Notes the end of an attempt.
  ///
  /// - Parameter failure: The failure, as far as the attempt knows it.
  /// - Returns: The next action, and the failure.
  package mutating func ended(_ failure: LinkFailure?) -> (step: Step, failure: LinkFailure?) {
    isRunning = false
    defer { isWanted = false }
    guard let failure = failure ?? meanwhile else {
      failures = 0
      standing = .prepared
      return (isWanted ? begin() : .rest, nil)
    }
    failures += 1
    var pause = min(.seconds(2), .milliseconds(50) * (1 << min(failures - 1, 10)))
    switch failure {
    case .closed, .invalid:
      standing = .refused(failure)
      return (.rest, failure)
    case .notAuthorized, .rejected:
      standing = .denied(failure)
      pause = Self.denialPause(failures + denials)
    case .disconnected, .unreachable, .unauthenticated, .tooLarge, .other: standing = .open
    }
    return (isWanted ? begin() : .pause(pause), failure)
  }

  /// Notes that the server withdraws the permission.
  ///
  /// - Returns: The pause before the next attempt; `.rest` if that is known already, or an attempt is running.
  package mutating func denied(_ failure: LinkFailure) -> Step {
    if isRunning { meanwhile = failure }
    guard standing == .prepared, !isRunning else { return .rest }
    standing = .denied(failure)
    denials += 1
    attempt += 1
    return .pause(Self.denialPause(denials))
  }

  /// The pause after a denied attempt: longer than others, as the server logs each denial.
  private static func denialPause(_ count: Int) -> Duration {
    min(.seconds(10), .milliseconds(250) * (1 << min(count - 1, 10)))
  }
}
