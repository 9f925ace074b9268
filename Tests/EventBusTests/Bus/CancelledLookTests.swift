import EventBus
import TestSupport
import Testing

/// Waits in tasks that are already cancelled, as a limit that has passed leaves them.
@Suite("Looks of cancelled tasks", .timeLimit(.minutes(5)))
struct CancelledLookTests {
  private func whenCancelled(_ wait: @escaping @Sendable () async -> Bool) async -> Bool {
    await Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: within the call.
      return await wait()
    }.value
  }

  @Test("A cancelled task that waits for queues without turns finds them so")
  func queues() async {
    let counts = ListCounts()
    #expect(await whenCancelled { await counts.settle(nil) { true } })
    #expect(await !whenCancelled { await counts.settle(nil) { false } })
  }

  @Test("A cancelled task that waits for timers finds those without work, and leaves busy ones")
  func timers() async {
    let activity = TimerActivity()
    #expect(await whenCancelled { await activity.idle() })
    let unit = activity.begin()
    #expect(await !whenCancelled { await activity.idle() })
    withExtendedLifetime(unit) {}
  }
}
