import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Application messages", .timeLimit(.minutes(5)))
struct MessageTests {
  @Test("Messages arrive one at a time, in order, and before run() returns")
  func order() async throws {
    let (entered, overlaps) = (Counter(), Counter())
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1)) { _ in
      if entered.add() > 1 { overlaps.add() }
      yieldThread()
      entered.add(-1)
    }
    let names = (0..<20).map { "service \($0)" }
    let mayEnd = ManualLatch()
    for name in names { try stage.add(name) { _ in await waitStubbornly(mayEnd) } }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.letTimePass(.seconds(1))
    // The limit after a cancellation begins before its message.
    _ = await stage.messages.first(20)
    await stage.letTimePass(.seconds(1))
    _ = await running.result
    let reversed = Array(names.reversed())
    let said = stage.messages.entries
    #expect(said.count == 40)
    #expect(
      Array(said.prefix(20))
        == reversed.map { "Service \"\($0)\" is cancelled: it did not stop within 1 s." }
    )
    let abandoned = zip(said.dropFirst(20), reversed)
    #expect(
      abandoned.allSatisfy {
        $0.hasPrefix("Service \"\($1)\" did not stop: it ignored cancellation")
      }
    )
    #expect(overlaps.value == 0)
    mayEnd.open()
  }
}
