import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Application messages", .timeLimit(.minutes(5)))
struct MessageTests {
  @Test("A blocked message hook delays no deadline, and run() by at most cancelTimeout")
  func blockingHook() async throws {
    let (isEntered, isCalled, mayReturn) = (ManualLatch(), ManualLatch(), ManualLatch())
    let stage = Stage(stopTimeout: .seconds(10), cancelTimeout: .seconds(5)) { _ in
      isCalled.open()
      mayReturn.block()
    }
    try stage.add("slow", { $0.waitsForReady = true }) { _ in
      isEntered.open()
      await ManualLatch().wait()
      stage.log.append("cancelled: \(Task.isCancelled)")
    }
    let running = stage.start()
    await isEntered.wait()
    await stage.passTime { isCalled.isOpen }
    stage.app.shutdown()
    await stage.passTime { stage.app.state == .terminated }
    #expect(stage.log.entries == ["cancelled: true"])
    let isOver = ManualLatch()
    let code = Task {
      defer { isOver.open() }
      return try await running.value
    }
    await stage.passTime { isOver.isOpen }
    #expect(try await code.value == 0)
    #expect(stage.messages.entries.count == 1)
    #expect(stage.clock.sleeperCount == 0)
    mayReturn.open()
    let isCancellation = { (message: String) in message.hasPrefix("service \"slow\" is cancelled") }
    var count = 3
    while await !stage.messages.first(count).contains(where: isCancellation) { count += 1 }
  }

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
        == reversed.map { "service \"\($0)\" is cancelled: it did not stop within 1 s" }
    )
    let stuck = zip(said.dropFirst(20), reversed)
    #expect(stuck.allSatisfy { $0.hasPrefix("service \"\($1)\" is stuck") })
    #expect(overlaps.value == 0)
    mayEnd.open()
  }
}
