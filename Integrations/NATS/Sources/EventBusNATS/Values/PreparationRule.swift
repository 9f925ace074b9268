/// The rule for something that is prepared at the server, and again when it is lost: when to try, and what is
/// known of it.
package struct PreparationRule: Sendable {
  /// What is known.
  package enum Standing: Sendable, Equatable {
    /// Nothing yet, or that the last attempt failed for a reason that may pass.
    case open
    /// It is prepared.
    case prepared
    /// The server forbids it; it is tried again, as permissions may change.
    case denied(LinkFailure)
    /// It is not tried again.
    case refused(LinkFailure)
  }

  /// What to do after an attempt.
  package enum Step: Sendable, Equatable {
    /// Nothing.
    case rest
    /// Begin at once.
    case begin
    /// Begin after a pause.
    case pause(Duration)
  }

  /// What is known.
  package private(set) var standing = Standing.open
  /// The number of the attempt that runs or of the pause that lasts.
  package private(set) var attempt = 0
  private var isRunning = false
  private var isWanted = false
  private var failures = 0
  /// That the server took it back while an attempt was running, which may not have noticed.
  private var meanwhile: LinkFailure?
  /// How often the server took back what it had granted, without a reconnection in between.
  private var denials = 0

  /// Creates the rule for something that was not tried.
  package init() {}

  /// Notes that an attempt is wanted: for the first time, or as what was prepared may be lost.
  ///
  /// - Parameter isNew: Whether the server may have changed its mind, as after a reconnection.
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
  /// - Parameter failure: Why it failed, as far as the attempt knows.
  /// - Returns: What to do, and why it failed.
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
    case .notAuthorized:
      standing = .denied(failure)
      pause = Self.denialPause(failures + denials)
    case .disconnected, .tooLarge, .other: standing = .open
    }
    return (isWanted ? begin() : .pause(pause), failure)
  }

  /// Notes that the server takes back what was prepared.
  ///
  /// - Returns: The pause before the next attempt; `.rest` if that is not news, or an attempt is running.
  package mutating func denied(_ failure: LinkFailure) -> Step {
    if isRunning { meanwhile = failure }
    guard standing == .prepared, !isRunning else { return .rest }
    standing = .denied(failure)
    denials += 1
    attempt += 1
    return .pause(Self.denialPause(denials))
  }

  /// A denied attempt stands in the log of the server: the pauses are longer.
  private static func denialPause(_ count: Int) -> Duration {
    min(.seconds(10), .milliseconds(250) * (1 << min(count - 1, 10)))
  }
}
