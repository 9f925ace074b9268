import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Synchronization
import Testing

@Suite("Durable events over a server", .timeLimit(.minutes(5)))
struct DurableTests {
  @Test("A post returns when the server has stored it, with its number in the stream")
  func receipts() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    let (local, token) = a.collect(.number)
    for number in 1...10 {
      let receipt = try await a.bridge.post(.number, number)
      #expect(receipt.stream == "ORDERS" && receipt.sequence == UInt64(number))
      #expect(!receipt.isDuplicate)
    }
    #expect(local.values == Array(1...10))
    #expect(a.bridge.counts.sent == 10)
    await #expect { try await a.bridge.post(.other, 1) } throws: {
      ($0 as? NATSError)?.code == .notCarried
    }
    withExtendedLifetime(token) {}
  }

  @Test("Each consumer handles every event in order, the ones before its first start included")
  func consumers() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    for number in 1...100 { a.bus.post(.number, number) }
    await a.bridge.waitUntilFlushed()
    var others: [(Party, Collected<Int>, Token)] = []
    for name in ["billing", "shipping"] {
      let party = try await Party(name, server)
      let (values, token) = party.collect(.number)
      party.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: name))
      others.append((party, values, token))
    }
    for number in 101...2000 { a.bus.post(.number, number) }
    await eventually("all are handled") { others.allSatisfy { $0.1.count >= 2000 } }
    #expect(others.allSatisfy { $0.1.values == Array(1...2000) })
  }

  @Test("Members of a consumer share its events")
  func members() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    var others: [(Party, Collected<Int>, Token)] = []
    for index in 1...2 {
      let party = try await Party("member-\(index)", server) { $0.handlingLimit = 4 }
      let values = Collected<Int>()
      let token = party.bus.observe(.number) { number in
        await Task.yield()
        values.append(number)
      }
      party.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
      others.append((party, values, token))
    }
    for number in 1...500 { a.bus.post(.number, number) }
    await eventually("all are handled") { Set(others.flatMap { $0.1.values }).count == 500 }
    #expect(others.flatMap { $0.1.values }.sorted() == Array(1...500))
  }

  @Test(
    "An event whose handler throws comes again; after its attempts it is a dead letter with the error"
  )
  func deadLetters() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(server.url)
    let letters = try raw.rawLink.subscribe("events._dead.>", group: nil, limit: 100) {}
    try await letters.confirm(within: .seconds(10))
    let (a, b) = (
      try await Party("a", server), try await Party("b", server) { $0.retry.attempts = 3 }
    )
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    let tried = Collected<Int>()
    let token = b.bus.observe(.number) { number in
      tried.append(number)
      if number == 13 { throw SampleError() }
      if number == 14, tried.values.count(where: { $0 == 14 }) < 2 { throw SampleError() }
    }
    for number in 11...16 { a.bus.post(.number, number) }
    await eventually("the dead letter is stored") { b.bridge.counts[.deadLetter] == 1 }
    await eventually("the others are handled") { Set(tried.values) == Set(11...16) }
    await eventually("the failing one is tried again") { tried.values.count { $0 == 14 } == 2 }
    #expect(tried.values.count { $0 == 13 } == 3)
    #expect(b.bridge.counts[.failed] == 4)
    let stored = await letters.next()
    #expect(stored.map(\.subject) == ["events._dead.test.number"])
    #expect(stored.map { String(decoding: $0.payload, as: UTF8.self) } == ["13"])
    let recent = try await raw.rawLink.recent(
      "ORDERS",
      subject: "events._dead.test.number",
      upTo: 100,
      count: 5,
      within: .seconds(5)
    )
    #expect(recent.count == 1)
    #expect(
      b.reports.values.contains { $0.kind == .deadLetter && $0.detail.contains("SampleError") }
    )
    withExtendedLifetime(token) {}
  }

  @Test("Without a handler, and with one that drops or is cancelled, an event comes again")
  func missingHandler() async throws {
    let server = try NATSServer()
    let (a, b) = (
      try await Party("a", server), try await Party("b", server) { $0.retry.attempts = 1000 }
    )
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    // Carried out as well: the bridge's own observer is not a handler.
    b.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    try await a.bridge.post(.number, 1)
    await eventually("it comes again") { b.bridge.counts[.failed] >= 3 }
    let (handled, token) = b.collect(.number)
    await eventually("it is handled") { handled.count > 0 }
    #expect(b.reports.values.contains { $0.detail == "there is no handler" })
    withExtendedLifetime(token) {}
  }

  @Test("A handler that needs longer than the server waits is called once")
  func slowHandler() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(server.url)
    let answers = try raw.rawLink.subscribe("$JS.ACK.>", group: nil, limit: 1000) {}
    try await answers.confirm(within: .seconds(60))
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    let calls = Collected<Int>()
    let release = Latch()
    let token = b.bus.observe(.number) { number in
      calls.append(number)
      try await release.wait()
    }
    for number in 1...3 { try await a.bridge.post(.number, number) }
    await eventually("the handler runs") { calls.count > 0 }
    // Each of the three events is prolonged three times a second, which is the time for which the server waits.
    let prolonged = await answers.next(27)
    #expect(prolonged.allSatisfy { Acknowledgement($0.payload) == .inProgress })
    #expect(calls.values == [1])
    release.open()
    await eventually("the others follow") { calls.count >= 3 }
    #expect(calls.values == [1, 2, 3])
    #expect(b.bridge.counts.duplicates == 0)
    withExtendedLifetime(token) {}
  }

  @Test("The same message published twice is stored once")
  func publishedTwice() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(server.url)
    try await raw.rawLink.prepareStream(
      "ORDERS",
      subjects: ["events.>"],
      replicas: 1,
      limits: .init(),
      within: .seconds(5)
    )
    let header = WireHeader(node: "x", incarnation: 1, sequence: 1, version: 1, contentType: "json")
    for _ in 1...5 {
      try raw.rawLink.send(
        OutgoingMessage(
          subject: "events.test.number",
          header: header.bytes,
          id: "one",
          payload: Array("1".utf8)
        )
      )
    }
    try await raw.rawLink.flush(within: .seconds(5))
    let b = try await Party("b", server)
    let (handled, token) = b.collect(.number)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    let receipt = try await a.bridge.post(.number, 2)
    #expect(receipt.sequence == 2)
    await eventually("both are handled") { handled.count >= 2 }
    #expect(handled.values == [1, 2])
    withExtendedLifetime(token) {}
  }

  @Test("Unreadable durable messages become dead letters, and hold up nothing")
  func unreadable() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(server.url)
    try await raw.rawLink.prepareStream(
      "ORDERS",
      subjects: ["events.>"],
      replicas: 1,
      limits: .init(),
      within: .seconds(5)
    )
    for (header, payload) in [(nil, "1"), ("x", "1"), ("1;x;1;1;1;json", "\"a\"")] {
      try raw.rawLink.send(
        OutgoingMessage(
          subject: "events.test.number",
          header: header.map { Array($0.utf8) },
          payload: Array(payload.utf8)
        )
      )
    }
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let (handled, token) = b.collect(.number)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    try await a.bridge.post(.number, 5)
    await eventually("the good one is handled") { handled.values == [5] }
    await eventually("the others are buried") { b.bridge.counts[.deadLetter] == 3 }
    withExtendedLifetime(token) {}
  }

  @Test("Events, consumers and nodes of any name are durable")
  func names() async throws {
    let server = try NATSServer()
    let (a, b) = (try await Party("a %d", server), try await Party("b *.>", server))
    for (index, text) in ["x y", "%s%n", "a\r\nPUB b 0", "*.>", "_dead.x"].enumerated() {
      let name = EventName<Int>(text)
      let (handled, token) = b.collect(name)
      a.bridge.carry(name, .outgoing, delivery: .durable(stream: "ANY"))
      b.bridge.carry(name, .incoming, delivery: .durable(stream: "ANY", consumer: "c %d.*"))
      try await a.bridge.post(name, index)
      await eventually("it is handled") { handled.values == [index] }
      withExtendedLifetime(token) {}
    }
  }

  @Test("A process that starts later gets as many events as the name keeps")
  func replay() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.kept, .outgoing, delivery: .durable(stream: "STATE"))
    a.bridge.carry(.other, .outgoing, delivery: .durable(stream: "STATE"))
    for number in 1...10 {
      try await a.bridge.post(.kept, number)
      for _ in 1...number { try await a.bridge.post(.other, number) }
    }
    var b: Party? = try await Party("b", server)
    b?.bridge.carry(.kept, .incoming, delivery: .durable(stream: "STATE"))
    let (first, firstToken) = try #require(b).collect(.kept)
    await eventually("the last three arrive") { first.count >= 3 }
    try await a.bridge.post(.kept, 11)
    await eventually("the next one arrives") { first.count >= 4 }
    #expect(first.values == [8, 9, 10, 11])
    await b?.bridge.drain()
    b = nil
    // The same node again: its place is kept, and the last three are posted again.
    let again = try await Party("b", server)
    let (second, secondToken) = again.collect(.kept)
    again.bridge.carry(.kept, .incoming, delivery: .durable(stream: "STATE"))
    await eventually("the last three arrive again") { second.count >= 3 }
    try await a.bridge.post(.kept, 12)
    await eventually("the next one arrives") { second.values.last == 12 }
    #expect(second.values == [9, 10, 11, 12])
    #expect(again.bus.latest(.kept) == 12)
    withExtendedLifetime((firstToken, secondToken)) {}
  }

  @Test("A durable event that is too large is refused for good, and holds up no later one")
  func tooLarge() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.text, .outgoing, delivery: .durable(stream: "ORDERS"))
    try await a.bridge.post(.text, "small")
    await #expect {
      try await a.bridge.post(.text, String(repeating: "x", count: 2 << 20))
    } throws: {
      ($0 as? NATSError)?.code == .tooLarge
    }
    #expect(a.bridge.counts[.tooLarge] == 1)
    try await a.bridge.post(.text, "small again")
  }

  @Test("A stream without room refuses; the events wait, and are stored when there is room")
  func fullStream() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(server.url)
    func configure(_ request: String, _ limit: Int) async throws {
      let subjects = "[\"events.test.number\", \"events._dead.test.number\"]"
      let text =
        "{\"name\": \"ORDERS\", \"subjects\": \(subjects), \"max_msgs\": \(limit), "
        + "\"discard\": \"new\", \"storage\": \"file\", \"num_replicas\": 1, "
        + "\"max_consumers\": -1, \"max_bytes\": -1}"
      let answers = try raw.rawLink.subscribe("test.\(request)", group: nil, limit: 1) {}
      try raw.rawLink.send(
        OutgoingMessage(
          subject: "$JS.API.STREAM.\(request).ORDERS",
          reply: "test.\(request)",
          payload: Array(text.utf8)
        )
      )
      await eventually("the stream is configured") { !answers.take(1).messages.isEmpty }
    }
    try await configure("CREATE", 2)
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    for number in 1...5 { a.bus.post(.number, number) }
    await eventually("two are stored, the others refused") {
      a.bridge.counts.stored == 2 && a.bridge.counts[.notStored] > 0
    }
    try await configure("UPDATE", 10)
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == 5)
  }

  @Test("A post that is cancelled throws; the event is stored all the same")
  func cancelledPost() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    try await a.bridge.post(.number, 1)
    server.signal(SIGSTOP)
    let (local, token) = a.collect(.number)
    let task = Task { try await a.bridge.post(.number, 2) }
    await eventually("it is posted") { local.count == 1 }
    task.cancel()
    let result = await task.result
    server.signal(SIGCONT)
    #expect(throws: NATSError.self) { try result.get() }
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == 2)
    withExtendedLifetime(token) {}
  }
}

@Suite("Nodes", .timeLimit(.minutes(5)))
struct NodeTests {
  @Test("Nodes see each other join and leave; their lifetimes end with them")
  func joining() async throws {
    let server = try NATSServer(jetStream: false)
    let b = try await Party("b", server)
    let joined = Collected<String>()
    let left = Collected<String>()
    let tokens = [
      b.bus.observe(.nodeDidJoin) { joined.append($0.name) },
      b.bus.observe(.nodeDidLeave) { left.append($0.name) },
    ]
    #expect(!b.bridge.node("a").isPresent)
    let a = try await Party("a", server)
    await eventually("a joins") { joined.values == ["a"] }
    await eventually("b joins") { a.bridge.nodes.map(\.name) == ["b"] }
    let lifetime = b.bridge.node("a").lifetime
    #expect(!lifetime.hasEnded)
    await a.bridge.drain()
    await eventually("a leaves") { left.values == ["a"] }
    #expect(lifetime.hasEnded && b.bridge.node("a").lifetime.hasEnded)
    let again = try await Party("a", server)
    await eventually("a joins again") { joined.values == ["a", "a"] }
    #expect(!b.bridge.node("a").lifetime.hasEnded)
    withExtendedLifetime((tokens, again)) {}
  }

  @Test("An observer with a node as its sender is called for events of that node only")
  func bySender() async throws {
    let server = try NATSServer(jetStream: false)
    let parties = [
      try await Party("a", server), try await Party("b", server), try await Party("c", server),
    ]
    for party in parties { party.bridge.carry(.number) }
    let c = parties[2]
    let fromB = Collected<Int>()
    let token = c.bus.observe(.number, from: c.bridge.node("b"), where: { $0 > 0 }) {
      fromB.append($0)
    }
    let (all, allToken) = c.collect(.number)
    await meet(.number, from: parties[0], to: c)
    await meet(.number, from: parties[1], to: c)
    for number in 1...10 {
      parties[0].bus.post(.number, number)
      parties[1].bus.post(.number, number * 100)
    }
    await eventually("all arrive") { all.values.count { $0 > 0 } == 20 }
    #expect(fromB.values == (1...10).map { $0 * 100 })
    withExtendedLifetime((token, allToken)) {}
  }

  @Test("A node that is killed is noticed")
  func killed() async throws {
    let server = try NATSServer(jetStream: false)
    let b = try await Party("b", server)
    let node = try NodeProcess(server.url, "a", "present")
    await eventually("a joins") { b.bridge.node("a").isPresent }
    let lifetime = b.bridge.node("a").lifetime
    node.kill()
    await eventually("its lifetime ends") { lifetime.hasEnded }
    #expect(b.bridge.nodes.isEmpty)
  }

  @Test("No node leaves because the connection to the server broke")
  func excused() async throws {
    let server = try NATSServer(jetStream: false)
    let slow: (inout EventBridge.Configuration) -> Void = { $0.heartbeat = .milliseconds(500) }
    let (a, b) = (try await Party("a", server, slow), try await Party("b", server, slow))
    await eventually("they see each other") {
      a.bridge.node("b").isPresent && b.bridge.node("a").isPresent
    }
    let left = Collected<String>()
    let token = b.bus.observe(.nodeDidLeave) { left.append($0.name) }
    // A bridge with another server, whose heartbeats go on.
    let link = ScriptedLink(ScriptedServer(seed: 0))
    let beats = try link.subscribe(Subject.nodes(prefix: "events"), group: nil, limit: 1000) {}
    server.kill()
    let other = Party("other", link: link, slow)
    _ = await beats.next(6)
    try server.restart()
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    await meet(.number, from: a, to: b)
    #expect(left.values.isEmpty && b.bridge.node("a").isPresent)
    withExtendedLifetime((token, other)) {}
  }
}
