import EventBus
import EventBusNATS
import NATSServer
import Testing

@Suite("Draining while handlers of the own posts run")
struct LocalDrainTests {
  @Test("A drain waits for the handlers of posts on its bus, and their events are acknowledged")
  func waits() async throws {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server)) { $0.handlingTimeout = .seconds(30) }
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let (calls, ended, release) = (Collected<Int>(), Collected<Int>(), Collected<Void>())
    let token = a.bus.observe(.number) { number in
      calls.append(number)
      while release.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
      ended.append(number)
    }
    for number in 1...3 { a.bus.post(.number, number) }
    await eventually("they have come back") { server.open("c") == [1, 2, 3] }
    let drained = Collected<Int>()
    Task {
      await a.bridge.drain(within: .seconds(20))
      drained.append(ended.count)
    }
    await eventually("the bridge does not listen any more") { !server.isHeard("c") }
    release.append(())
    await eventually("the drain ends") { drained.count == 1 }
    #expect(drained.values == [3] && calls.values.sorted() == [1, 2, 3])
    #expect(server.open("c") == [])
    withExtendedLifetime(token) {}
  }

  @Test("An event whose handler fails while its bridge drains is given back at once")
  func fails() async throws {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server)) { $0.handlingTimeout = .seconds(30) }
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let release = Collected<Void>()
    let token = a.bus.observe(.number) { _ in
      while release.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
      throw SampleError()
    }
    a.bus.post(.number, 1)
    await eventually("it has come back") { server.open("c") == [1] }
    let drained = Collected<Void>()
    Task {
      await a.bridge.drain(within: .seconds(20))
      drained.append(())
    }
    await eventually("the bridge does not listen any more") { !server.isHeard("c") }
    release.append(())
    await eventually("the drain ends") { drained.count == 1 }
    let b = Party("b", link: ScriptedLink(server))
    let (atB, tokenB) = b.collect(.number)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    await eventually("another process handles it", within: .seconds(10)) { atB.values == [1] }
    withExtendedLifetime((token, tokenB)) {}
  }

  @Test("A handler of a post that never ends does not hold up a drain longer than its limit")
  func limit() async {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server))
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let release = Collected<Void>()
    let token = a.bus.observe(.number) { _ in
      while release.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    a.bus.post(.number, 1)
    let drained = Collected<Void>()
    Task {
      await a.bridge.drain(within: .milliseconds(100))
      drained.append(())
    }
    await eventually("the drain ends", within: .seconds(10)) { drained.count == 1 }
    release.append(())
    withExtendedLifetime(token) {}
  }

  @Test("Over a server, a drain right after the posts leaves nothing unanswered")
  func overServer() async throws {
    let server = try NATSServer()
    let change: (inout EventBridge.Configuration) -> Void = { $0.handlingTimeout = .seconds(60) }
    let a = try await Party("a", server, change)
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    try await a.bridge.prepared()
    let ended = Collected<Int>()
    let token = a.bus.observe(.number) { number in
      try await Task.sleep(for: .milliseconds(150))
      ended.append(number)
    }
    for number in 1...3 { try await a.bridge.post(.number, number) }
    await a.bridge.drain(within: .seconds(20))
    #expect(ended.values.sorted() == [1, 2, 3])
    let b = try await Party("b", server, change)
    let (atB, tokenB) = b.collect(.number)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    try await b.bridge.prepared()
    try await post(4, from: b, server)
    await eventually("the next event is handled", within: .seconds(10)) { atB.values.contains(4) }
    // Unanswered messages would come before, or a minute later.
    #expect(await unanswered(server) == 0)
    withExtendedLifetime((token, tokenB)) {}
  }

  private func post(_ number: Int, from party: Party, _ server: NATSServer) async throws {
    let c = try await Party("poster", server)
    c.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await c.bridge.post(.number, number)
  }

  /// How many events the consumer was given that it has not answered, after a moment.
  private func unanswered(_ server: NATSServer) async -> Int? {
    var count: Int?
    await eventually("the server says so", within: .seconds(10)) {
      count = await number("num_ack_pending", server)
      return count == 0
    }
    return count
  }

  private func number(_ field: String, _ server: NATSServer) async -> Int? {
    do {
      let raw = try await NATSConnection(server.url)
      let answers = try raw.rawLink.subscribe("test.info", group: nil, limit: 1) {}
      let api = "$JS.API.CONSUMER.INFO.S.c-test=2Enumber"
      try raw.rawLink.send(OutgoingMessage(subject: api, reply: "test.info"))
      for _ in 0..<1000 {
        if let payload = answers.take(1).messages.first?.payload {
          let text = String(decoding: payload, as: UTF8.self)
          guard let range = text.firstRange(of: "\"\(field)\":") else { return nil }
          return Int(String(text[range.upperBound...].prefix { $0.isNumber }))
        }
        try await Task.sleep(for: .milliseconds(2))
      }
    } catch {
      Issue.record(error)
    }
    return nil
  }
}
