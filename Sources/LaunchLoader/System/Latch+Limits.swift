internal import EventBus

extension Latch {
  /// Waits until the latch is open, regardless of cancellation.
  nonisolated(nonsending) func waitUncancelled() async { await Task { _ = await wait() }.value }

  /// Waits until the latch is open, regardless of cancellation, and opens it when a limit expires.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait; `nil` means no limit.
  ///   - clock: The clock that measures the limit.
  nonisolated(nonsending) func waitUncancelled(
    within limit: Duration?,
    on clock: any Clock<Duration>
  ) async {
    let watch = limit.map { limit in
      Task {
        do {
          try await Stopwatch(clock).sleep(limit)
        } catch {
          return  // Cancelled: the latch is open.
        }
        open()
      }
    }
    await waitUncancelled()
    watch?.cancel()
  }
}
