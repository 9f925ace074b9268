/// Detects the end of the parent process.
///
/// When the parent ends, another process adopts this one, and `getppid` returns that process from then on
/// (POSIX.1-2024, `_exit()`, "Consequences of Process Termination"). Polling costs one system call. Linux has
/// `prctl` with `PR_SET_PDEATHSIG`, but the C module lacks it, and it concerns the thread that started this
/// process instead of the process.
///
/// A parent that ended before the watch was created goes unnoticed: create the watch early.
package struct ParentWatch: Sendable {
  private let interval: Duration
  private let clock: any Clock<Duration>
  private let parent: @Sendable () -> Int32
  private let first: Int32

  /// Records the current parent.
  ///
  /// - Parameters:
  ///   - interval: The polling interval.
  ///   - clock: The clock that measures it.
  ///   - parent: Returns the current parent; `nil` means the parent of this process.
  package init(
    every interval: Duration = .seconds(1),
    clock: any Clock<Duration> = ContinuousClock(),
    parent: (@Sendable () -> Int32)? = nil
  ) {
    let parent = parent ?? { ServiceProcess.parent }
    self.interval = interval
    self.clock = clock
    self.parent = parent
    first = parent()
  }

  /// A Boolean value that indicates whether the parent has ended.
  package var hasEnded: Bool { parent() != first }

  /// Waits until the parent has ended.
  ///
  /// - Throws: The error of the clock: `CancellationError` when the task is cancelled.
  nonisolated(nonsending) package func untilEnd() async throws {
    while !hasEnded { try await clock.sleep(for: interval) }
  }
}
