import EventBus
import EventBusNATS
import NATSServer
import Testing

@Suite("Draining while handlers of the own posts run", .timeLimit(.minutes(5)))
struct LocalDrainTests {
  @Test("A drain waits for the handlers of posts on its bus, and their events are acknowledged")
  func waits() async throws {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server)) { $0.handlingTimeout = .seconds(3600) }
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let (calls, ended, release) = (Collected<Int>(), Collected<Int>(), Latch())
    let token = a.bus.observe(.number) { number in
      calls.append(number)
      try await release.wait()
      ended.append(number)
    }
    for number in 1...3 { a.bus.post(.number, number) }
    await eventually("they have come back") { server.open("c") == [1, 2, 3] }
    let drained = Collected<Int>()
    Task {
      await a.bridge.drain(within: .seconds(3600))
      drained.append(ended.count)
    }
    await eventually("the bridge does not listen any more") { !server.isHeard("c") }
    release.open()
    await eventually("the drain ends") { drained.count == 1 }
    #expect(drained.values == [3] && calls.values.sorted() == [1, 2, 3])
    #expect(server.open("c") == [])
    withExtendedLifetime(token) {}
  }

  @Test("An event whose handler fails while its bridge drains is given back at once")
  func fails() async throws {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server)) { $0.handlingTimeout = .seconds(3600) }
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let release = Latch()
    let token = a.bus.observe(.number) { _ in
      try await release.wait()
      throw SampleError()
    }
    a.bus.post(.number, 1)
    await eventually("it has come back") { server.open("c") == [1] }
    let drained = Collected<Void>()
    Task {
      await a.bridge.drain(within: .seconds(3600))
      drained.append(())
    }
    await eventually("the bridge does not listen any more") { !server.isHeard("c") }
    release.open()
    await eventually("the drain ends") { drained.count == 1 }
    let b = Party("b", link: ScriptedLink(server))
    let (atB, tokenB) = b.collect(.number)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    await eventually("another process handles it") { atB.values == [1] }
    withExtendedLifetime((token, tokenB)) {}
  }

  @Test("A handler of a post that never ends does not hold up a drain longer than its limit")
  func limit() async {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server))
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let release = Latch()
    let token = a.bus.observe(.number) { _ in
      try await release.wait()
    }
    a.bus.post(.number, 1)
    let drained = Collected<Void>()
    Task {
      await a.bridge.drain(within: .milliseconds(100))
      drained.append(())
    }
    await eventually("the drain ends") { drained.count == 1 }
    release.open()
    withExtendedLifetime(token) {}
  }

  @Test("Over a server, a drain right after the posts leaves nothing unanswered")
  func overServer() async throws {
    let server = try NATSServer()
    let change: (inout EventBridge.Configuration) -> Void = { $0.handlingTimeout = .seconds(3600) }
    let a = try await Party("a", server, change)
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    try await a.bridge.waitUntilPrepared()
    let (ended, release) = (Collected<Int>(), Latch())
    let token = a.bus.observe(.number) { number in
      try await release.wait()
      ended.append(number)
    }
    for number in 1...3 { try await a.bridge.post(.number, number) }
    let drain = Task { await a.bridge.drain(within: .seconds(3600)) }
    await eventually("the bridge does not listen any more") {
      await consumer(server).contains("\"push_bound\":true") == false
    }
    release.open()
    await drain.value
    #expect(ended.values.sorted() == [1, 2, 3])
    let b = try await Party("b", server, change)
    let (atB, tokenB) = b.collect(.number)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    try await b.bridge.waitUntilPrepared()
    try await post(4, from: b, server)
    await eventually("the next event is handled") { atB.values.contains(4) }
    // Unanswered messages would come before, or an hour later.
    await eventually("everything is answered") {
      await consumer(server).contains("\"num_ack_pending\":0,")
    }
    withExtendedLifetime((token, tokenB)) {}
  }

  private func post(_ number: Int, from party: Party, _ server: NATSServer) async throws {
    let c = try await Party("poster", server)
    c.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await c.bridge.post(.number, number)
  }

  /// What the server says about the consumer.
  private func consumer(_ server: NATSServer) async -> String {
    do {
      let raw = try await NATSConnection(server.url)
      let answers = try raw.rawLink.subscribe("test.info", group: nil, limit: 1) {}
      let api = "$JS.API.CONSUMER.INFO.S.c-test=2Enumber"
      try raw.rawLink.send(OutgoingMessage(subject: api, reply: "test.info"))
      return await answers.next().map { String(decoding: $0.payload, as: UTF8.self) }.joined()
    } catch {
      Issue.record(error)
      return ""
    }
  }
}
