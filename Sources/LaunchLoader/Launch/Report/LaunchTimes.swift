/// The start of a piece of work, relative to the beginning of its launch, and its duration.
package struct LaunchTimes: Sendable {
  /// The time from the beginning of the launch.
  package let start: Duration
  /// The time that the work took, zero while it runs.
  let duration: Duration

  /// Creates times of work.
  package init(start: Duration, duration: Duration) {
    (self.start, self.duration) = (start, duration)
  }
}
