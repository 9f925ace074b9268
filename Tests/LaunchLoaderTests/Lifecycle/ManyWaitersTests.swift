import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Many tasks waiting for one state", .timeLimit(.minutes(5)))
struct ManyWaitersTests {
  @Test("Cancelling the latest of many waits takes no longer than cancelling the earliest")
  func cancellation() async {
    let app = AppHost(bus: EventBus(), loader: LaunchLoader())
    let (begun, cancelled) = (Counter(), Counter())
    let count = 40_000
    let waits = (0..<count).map { _ in
      Task {
        begun.add()
        if await isCancelled({ try await app.waitUntil(state: .active) }) { cancelled.add() }
      }
    }
    while begun.value < count, !Task.isCancelled { await Task.yield() }
    for wait in waits.reversed() { wait.cancel() }
    for wait in waits { await wait.value }
    #expect(cancelled.value == count)
  }
}
