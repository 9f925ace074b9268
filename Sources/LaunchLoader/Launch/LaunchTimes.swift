/// When a piece of work began, counted from the beginning of its launch, and how long it took.
package struct LaunchTimes: Hashable, Sendable {
  /// When it began.
  package let start: Duration
  /// How long it took.
  package let duration: Duration

  /// Creates a pair of times.
  package init(start: Duration, duration: Duration) {
    self.start = start
    self.duration = duration
  }
}
