import LaunchLoader
import TestSupport
import Testing

@Suite("Doorbell", .timeLimit(.minutes(5)))
struct DoorbellTests {
  private final class House: Sendable {
    let bell = Doorbell()
  }

  private let house = House()

  @Test("A ring before the wait is remembered, once")
  func ringFirst() async {
    house.bell.ring()
    house.bell.ring()
    await house.bell.wait()
    let secondWait = Task { [house] in await house.bell.wait() }
    house.bell.ring()
    await secondWait.value
  }

  @Test("Cancelling the waiting task does not end the wait")
  func cancellation() async {
    let log = Log<String>()
    let waiting = Task { [house] in
      await house.bell.wait()
      log.append("woken")
    }
    waiting.cancel()
    log.append("rings")
    house.bell.ring()
    await waiting.value
    #expect(log.entries == ["rings", "woken"])
  }
}
