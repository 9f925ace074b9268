import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Testing

@Suite("Producers that slow down", .timeLimit(.minutes(5)))
struct BacklogTests {
  @Test("A fall is announced once, to half of the mark, after a number above the mark")
  func rule() {
    var rule = BacklogRule(mark: 10)
    let counts = [0, 10, 5, 0, 11, 10, 6, 12, 5, 4, 0, 11, 0, 0]
    let announced = counts.filter { rule.note($0) }
    #expect(announced == [5, 0])
    var zero = BacklogRule(mark: 0)
    let isAnnounced = [0, 1, 0, 0].map { zero.note($0) }
    #expect(isAnnounced == [false, false, true, false])
  }

  /// Posts numbers as long as few events wait; returns the largest number of waiting events.
  private func produce(
    _ name: EventName<Int>,
    _ numbers: ClosedRange<Int>,
    _ a: Party,
    _ paused: Collected<Int>
  ) async -> Int {
    var falls = a.bus.events(.waitingDidFall, from: a.bridge, buffering: .bufferingNewest(1))
      .makeAsyncIterator()
    var most = 0
    for number in numbers {
      while a.bridge.waitingCount > 100 {
        paused.append(number)
        if await falls.next() == nil { break }
      }
      a.bus.post(name, number)
      most = max(most, a.bridge.levels.waitingEvents)
    }
    return most
  }

  @Test("A producer that pauses loses nothing while the server is away, live and durable")
  func pauses() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server) {
      ($0.waitingMark, $0.bufferLimit, $0.durableLimit) = (100, 101, 101)
    }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    a.bridge.carry(.other, .outgoing)
    try await a.bridge.waitUntilPrepared()
    for name in [EventName<Int>.number, .other] {
      server.kill()
      await eventually("it is noticed") { !a.bridge.isPrepared }
      let paused = Collected<Int>()
      let producing = Task { await produce(name, 1...1000, a, paused) }
      await eventually("the producer pauses") { paused.count == 1 }
      #expect(a.bridge.waitingCount == 101)
      try server.restart()
      #expect(await producing.value <= 101)
      await a.bridge.waitUntilFlushed()
    }
    let counts = a.bridge.counts
    #expect(counts.stored == 1000 && counts.sent == 2000)
    #expect(counts[.refused] == 0 && counts[.droppedOutgoing] == 0)
  }

  @Test("A fall that happens while a producer reads the number is announced to it")
  func readers() async throws {
    let link = ScriptedLink(ScriptedServer(seed: 0))
    let a = Party("a", link: link) { $0.waitingMark = 100 }
    a.bridge.carry(.other, .outgoing)
    let paused = Collected<Int>()
    // The queue of the bridge takes events from the buffer as they are posted.
    _ = await produce(.other, 1...size(20_000, full: 500_000), a, paused)
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.waitingCount == 0)
  }

  @Test(
    "A producer that pauses goes on when the bridge ends, and when its connection is closed",
    arguments: [true, false]
  )
  func ends(_ isDrained: Bool) async throws {
    let nats = try await NATSConnection(
      "nats://127.0.0.1:\(NATSServer.freePort())",
      configuration: .quick { $0.waitsForServer = true }
    )
    let a = Party("a", over: nats) { $0.waitingMark = 100 }
    a.bridge.carry(.other, .outgoing)
    let paused = Collected<Int>()
    let producing = Task { await produce(.other, 1...200, a, paused) }
    await eventually("the producer pauses") { paused.count == 1 }
    if isDrained { await a.bridge.drain() } else { nats.close() }
    _ = await producing.value
    #expect(a.bridge.counts[.droppedOutgoing] >= 101)
  }
}
