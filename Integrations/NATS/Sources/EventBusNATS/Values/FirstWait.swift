/// The wait for a first connection: the reason why there is none yet, and the times at which it is announced.
///
/// It is announced when it changes, and once a minute as long as it stays.
package struct FirstWait: Sendable {
  /// The time between two announcements of one reason.
  private static let interval = Duration.seconds(60)

  /// The failure of the last attempt.
  private var reason: String
  private var nextAnnouncement: ContinuousClock.Instant

  /// Begins to wait after a failed attempt, which callers announce.
  package init(_ reason: String, at now: ContinuousClock.Instant) {
    self.reason = reason
    nextAnnouncement = now + Self.interval
  }

  /// What is waited for, in words.
  package var words: String { "\(reason); attempts go on until a server is there" }

  /// Notes a failed attempt.
  ///
  /// - Returns: Whether it is announced.
  package mutating func failed(_ reason: String, at now: ContinuousClock.Instant) -> Bool {
    guard reason != self.reason || now >= nextAnnouncement else { return false }
    self = FirstWait(reason, at: now)
    return true
  }
}
