import EventBus
import EventBusNATS
import Foundation
import NATSServer
import SoakRun
import Synchronization
import Testing

@Suite("Process kills", .serialized, .timeLimit(.minutes(10)))
struct FaultTests {
  @Test("No acknowledged event is lost in 30 random kills of the server and the consumer")
  func kills() async throws {
    let result = try await KillRun(seed: 20, kills: 30).run { _ in true }
    #expect(result.lost == [])
    #expect(result.acknowledged > 30)
    #expect(result.serverKills + result.consumerKills == 30)
  }

  @Test("A consumer that is killed in the middle of a handler: another one handles the event")
  func killedInHandler() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    let first = try NodeProcess(server.url, "first", "consume", "ORDERS", "c", "5")
    await eventually("it is ready") { first.lines.contains("ready") }
    for number in 1...10 { try await a.bridge.post(.number, number) }
    await eventually("it hangs") { first.numbers("handling").contains(5) }
    first.kill()
    #expect(!first.numbers("handled").contains(5))
    let second = try NodeProcess(server.url, "second", "consume", "ORDERS", "c")
    await eventually("the rest is handled") {
      Set(first.numbers("handled") + second.numbers("handled")) == Set(1...10)
    }
    #expect(second.numbers("handled").first == 5 || second.numbers("handled").contains(5))
  }

  @Test(
    "A stopped consumer process: its events go to another member, and come back in no other process"
  )
  func stoppedConsumer() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    let first = try NodeProcess(server.url, "first", "consume", "ORDERS", "c")
    await eventually("it is ready") { first.lines.contains("ready") }
    try await a.bridge.post(.number, 0)
    await eventually("it handles") { first.numbers("handled") == [0] }
    first.signal(SIGSTOP)
    let second = try NodeProcess(server.url, "second", "consume", "ORDERS", "c")
    await eventually("it is ready") { second.lines.contains("ready") }
    for number in 1...20 { try await a.bridge.post(.number, number) }
    // The first one may not have acknowledged its event before it stopped.
    await eventually("the second one handles all") {
      Set(second.numbers("handled")).isSuperset(of: 1...20)
    }
    first.signal(SIGCONT)
    try await a.bridge.post(.number, 21)
    await eventually("the last is handled") {
      (first.numbers("handled") + second.numbers("handled")).contains(21)
    }
  }

  @Test("Events posted while a server is stopped for seconds are stored once, in order")
  func stoppedServer() async throws {
    let server = try NATSServer()
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let (handled, token) = b.collect(.number)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    try await a.bridge.post(.number, 0)
    server.signal(SIGSTOP)
    for number in 1...500 { a.bus.post(.number, number) }
    await eventually("messages are sent again") { a.bridge.counts.resent > 0 }
    server.signal(SIGCONT)
    await a.bridge.waitUntilFlushed()
    await eventually("all are handled") { Set(handled.values).count == 501 }
    #expect(a.bridge.counts.stored == 501)
    let raw = try await NATSConnection(server.url)
    let stored = try await raw.rawLink.recent(
      "ORDERS",
      subject: "events.test.number",
      upTo: 10_000,
      count: 10_000,
      within: .seconds(30)
    )
    #expect(Set(stored.map { String(decoding: $0.payload, as: UTF8.self) }).count == stored.count)
    withExtendedLifetime(token) {}
  }
}
