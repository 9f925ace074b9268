/// Tells when the process that started this one is gone.
///
/// A process whose parent ends is given to another one, and `getppid` names that one from then on
/// (POSIX.1-2024, `_exit()`, "Consequences of Process Termination"). Looking costs one system call; the
/// order that Linux has for it, `prctl` with `PR_SET_PDEATHSIG`, is not in the C module, and is about the
/// thread that started this process, not about its parent.
///
/// A parent that has ended before the watch is made goes unnoticed: make it early.
package struct ParentWatch: Sendable {
  private let interval: Duration
  private let clock: any Clock<Duration>
  private let parent: @Sendable () -> Int32
  private let first: Int32

  /// Remembers who the parent is.
  ///
  /// - Parameters:
  ///   - interval: How often to look.
  ///   - clock: Measures it.
  package init(
    every interval: Duration = .seconds(1),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(every: interval, clock: clock) { JobControl.parent }
  }

  /// Remembers who the parent is, by other means.
  ///
  /// - Parameters:
  ///   - interval: How often to look.
  ///   - clock: Measures it.
  ///   - parent: Tells who is the parent now.
  package init(
    every interval: Duration,
    clock: any Clock<Duration>,
    parent: @escaping @Sendable () -> Int32
  ) {
    self.interval = interval
    self.clock = clock
    self.parent = parent
    first = parent()
  }

  /// Whether the parent is gone.
  package var hasEnded: Bool { parent() != first }

  /// Waits until the parent is gone.
  ///
  /// - Throws: What the clock throws: `CancellationError` when the task is cancelled.
  package func untilEnd() async throws {
    while !hasEnded { try await clock.sleep(for: interval) }
  }
}
