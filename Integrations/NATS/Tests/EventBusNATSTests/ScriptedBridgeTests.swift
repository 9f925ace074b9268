import EventBus
import EventBusNATS
import Foundation
import _EventBusLocks
import Testing

/// Two buses over a link that loses, repeats and reorders messages, and breaks.
@Suite("Two buses over a link with faults", .timeLimit(.minutes(5)))
struct ScriptedBridgeTests {
  @Test("Live events arrive at most once, in order, and missing ones are counted")
  func live() async {
    for seed in 1...20 as ClosedRange<UInt64> { await live(seed) }
  }

  private func live(_ seed: UInt64) async {
    var generator = SeededGenerator(seed: seed)
    let server = ScriptedServer(seed: seed)
    let (linkA, linkB) = (ScriptedLink(server), ScriptedLink(server))
    let (a, b) = (Party("a", link: linkA), Party("b", link: linkB))
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    let (received, token) = b.collect(.number)
    let (echoes, echoToken) = a.collect(.number)
    a.bus.post(.number, 0)
    await eventually("the first event arrives, seed \(seed)") { received.count == 1 }
    server.faults = Faults(lost: 10, repeated: 10, reordered: 10)
    for number in 1...500 {
      a.bus.post(.number, number)
      if generator.happens(2) { linkA.isConnected.toggle() }
      if generator.happens(2) { linkB.isConnected.toggle() }
      if generator.happens(5) { await server.turn() }
    }
    (linkA.isConnected, linkB.isConnected) = (true, true)
    await a.bridge.waitUntilFlushed()
    server.faults = Faults()
    a.bus.post(.number, 501)
    await eventually("the last event arrives, seed \(seed)") { received.values.last == 501 }
    let values = received.values
    #expect(zip(values, values.dropFirst()).allSatisfy(<), "seed \(seed)")
    #expect(b.bridge.counts[.gap] == 502 - values.count, "seed \(seed)")
    #expect(echoes.values == Array(0...501), "seed \(seed)")
    withExtendedLifetime((token, echoToken)) {}
  }

  @Test("Durable events are stored once and handled at least once, whatever happens")
  func durable() async {
    for seed in 1...20 as ClosedRange<UInt64> { await durable(seed) }
  }

  private func durable(_ seed: UInt64) async {
    var generator = SeededGenerator(seed: seed)
    let server = ScriptedServer(seed: seed)
    let (linkA, linkB) = (ScriptedLink(server), ScriptedLink(server))
    let settings: (inout EventBridge.Configuration) -> Void = {
      $0.answerTimeout = .milliseconds(40)
      $0.handlingTimeout = .milliseconds(60)
      $0.handlingLimit = 32
      $0.unansweredLimit = 16
      $0.retry = EventBridge.RetryPolicy(
        attempts: 1000,
        deliveries: 1_000_000,
        firstPause: .milliseconds(1),
        longestPause: .milliseconds(4)
      )
    }
    let (a, b) = (Party("a", link: linkA, settings), Party("b", link: linkB, settings))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let handled = Collected<Int>()
    let failing = Locked(SeededGenerator(seed: seed))
    let token = b.bus.observe(.number) { number in
      await Task.yield()
      if failing.withLock({ $0.happens(5) }) { throw SampleError() }
      handled.append(number)
    }
    server.faults = Faults(lost: 10, repeated: 10, reordered: 10)
    for number in 1...150 {
      a.bus.post(.number, number)
      if generator.happens(4) { linkA.isConnected.toggle() }
      if generator.happens(4) { linkB.isConnected.toggle() }
      if generator.happens(10) { await server.turn() }
    }
    (linkA.isConnected, linkB.isConnected) = (true, true)
    await a.bridge.waitUntilFlushed()
    #expect(server.stored("S").count == 150, "seed \(seed)")
    #expect(Set(server.stored("S")).count == 150, "seed \(seed)")
    await eventually("every event is handled, seed \(seed)") { Set(handled.values).count == 150 }
    #expect(a.bridge.counts.stored == 150, "seed \(seed)")
    withExtendedLifetime(token) {}
  }

  @Test("Without faults, durable events are handled once, in order")
  func durableOrder() async {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (handled, token) = b.collect(.number)
    for number in 1...1000 { a.bus.post(.number, number) }
    await eventually("every event is handled") { handled.count >= 1000 }
    #expect(handled.values == Array(1...1000))
    withExtendedLifetime(token) {}
  }

  @Test("An answer that a handler posts leaves the process, and the event that arrived does not")
  func noEcho() async {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    let (atA, tokenA) = a.collect(.number)
    // The answer has the same name.
    let token = b.bus.observe(.number, where: { $0 < 10 }) { b.bus.post(.number, $0 + 10) }
    for number in 1...9 { a.bus.post(.number, number) }
    await eventually("the answers arrive") { atA.count >= 18 }
    await b.bridge.waitUntilFlushed()
    #expect(atA.values.sorted() == Array(1...9) + Array(11...19))
    #expect(b.bridge.counts.sent == 9)
    withExtendedLifetime((token, tokenA)) {}
  }

  @Test("An asynchronous handler's answer leaves the process, live and durable")
  func noEchoAsync() async {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    for party in [a, b] {
      party.bridge.carry(.number, delivery: .durable(stream: "S", consumer: party.bridge.nodeName))
    }
    let (atA, tokenA) = a.collect(.number)
    let token = b.bus.observe(.number, where: { $0 < 10 }) { number in
      await Task.yield()
      b.bus.post(.number, number + 10)
    }
    for number in 1...9 { a.bus.post(.number, number) }
    await eventually("the answers arrive") { atA.count >= 18 }
    #expect(atA.values.sorted() == Array(1...9) + Array(11...19))
    withExtendedLifetime((token, tokenA)) {}
  }

  @Test("Several bridges on one bus neither loop nor post an event twice")
  func severalBridges() async {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server))
    let second = EventBridge(a.bus, link: ScriptedLink(server), node: "a2", .quick())
    let b = Party("b", link: ScriptedLink(server))
    a.bridge.carry(.number)
    second.carry(.number)
    b.bridge.carry(.number)
    let (atA, tokenA) = a.collect(.number)
    let (atB, tokenB) = b.collect(.number)
    a.bus.post(.number, 1)
    await eventually("both bridges send it") { atB.count == 2 }
    b.bus.post(.number, 2)
    await eventually("both bridges receive it") { atA.count == 3 }
    for bridge in [a.bridge, second, b.bridge] { await bridge.waitUntilFlushed() }
    #expect(atA.values == [1, 2, 2])
    #expect(a.bridge.counts.sent + second.counts.sent == 2)
    #expect(b.bridge.counts.sent == 1)
    withExtendedLifetime((tokenA, tokenB)) {}
  }

  @Test("Events that the bus keeps for replay are not sent when it is carried later")
  func keptBefore() async {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    b.bridge.carry(.kept)
    a.bus.post(.kept, 1)
    a.bridge.carry(.kept)
    let (atB, token) = b.collect(.kept)
    a.bus.post(.kept, 2)
    await eventually("the later one arrives") { atB.count > 0 }
    #expect(atB.values == [2])
    withExtendedLifetime(token) {}
  }

  @Test("Mutated messages are counted, and none traps or is posted with a wrong payload")
  func mutations() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let b = Party("b", link: ScriptedLink(server)) { $0.bufferLimit = 1_000_000 }
    b.bridge.carry(.text)
    let (atB, token) = b.collect(.text)
    var generator = SeededGenerator(seed: 3)
    let payload = Array("\"hello\"".utf8)
    #if TSAN
    let count = 2_000
    #else
    let count = 100_000
    #endif
    for index in 0..<count {
      let header = WireHeader(
        node: "x",
        incarnation: 9,
        sequence: UInt64(index + 1),
        version: 1,
        contentType: "json"
      ).bytes
      var message = OutgoingMessage(subject: "events.test.text", header: header, payload: payload)
      switch index % 3 {
      case 0: message.header = mutated(header, &generator)
      case 1: message.payload = mutated(payload, &generator)
      default: message.header = index % 6 == 2 ? nil : mutated(header, &generator)
      }
      try link.send(message)
    }
    try link.send(
      OutgoingMessage(
        subject: "events.test.text",
        header: WireHeader(
          node: "y",
          incarnation: 1,
          sequence: 1,
          version: 1,
          contentType: "json"
        ).bytes,
        payload: Array("\"last\"".utf8)
      )
    )
    await eventually("the last one arrives") { atB.values.last == "last" }
    let problems: [BridgeReport.Kind] = [
      .unreadableHeader, .unreadablePayload, .unknownVersion, .past,
    ]
    // Events are counted after the batch in which they arrived.
    await eventually("each is counted") {
      let counts = b.bridge.counts
      return counts.received + problems.reduce(0) { $0 + counts[$1] } == count + 1
    }
    let counts = b.bridge.counts
    #expect(counts[.unreadableHeader] > count / 7 && counts[.unreadablePayload] > count / 10)
    withExtendedLifetime(token) {}
  }

  @Test("When the buffer is full the oldest drop; sender and receiver count the same number")
  func fullBuffer() async {
    let server = ScriptedServer(seed: 0)
    let linkA = ScriptedLink(server)
    let a = Party("a", link: linkA) { $0.bufferLimit = 100 }
    let b = Party("b", link: ScriptedLink(server))
    a.bridge.carry(.number, .outgoing)
    b.bridge.carry(.number, .incoming)
    let (atB, token) = b.collect(.number)
    a.bus.post(.number, 0)
    await eventually("the first one arrives") { atB.count == 1 }
    linkA.isConnected = false
    for number in 1...1000 { a.bus.post(.number, number) }
    #expect(a.bridge.counts[.droppedOutgoing] == 900)
    linkA.isConnected = true
    await eventually("the rest arrives") { atB.count == 101 }
    #expect(atB.values == [0] + Array(901...1000))
    #expect(b.bridge.counts[.gap] == 900)
    await eventually("the hook is called") {
      a.reports.values.filter { $0.kind == .droppedOutgoing }.reduce(0) { $0 + $1.count } == 900
    }
    withExtendedLifetime(token) {}
  }

  @Test("Durable events beyond the limit are refused, counted, and thrown by post")
  func fullOutbox() async {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    link.isConnected = false
    let a = Party("a", link: link) { $0.durableLimit = 10 }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    for number in 1...15 { a.bus.post(.number, number) }
    #expect(a.bridge.counts[.refused] == 5)
    await #expect { try await a.bridge.post(.number, 16) } throws: {
      ($0 as? NATSError)?.code == .full
    }
    link.isConnected = true
    await a.bridge.waitUntilFlushed()
    #expect(server.stored("S") == (1...10).map(String.init))
  }

  @Test(
    "A payload that cannot be encoded, and one that is too large, are counted; later ones are sent"
  )
  func unsendable() async {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    let picky = EventCodec<String>(contentType: "text") { text in
      if text == "bad" { throw SampleError() }
      return Array(text.utf8)
    } decode: {
      String(decoding: $0, as: UTF8.self)
    }
    a.bridge.carry(.text, .outgoing, codec: picky)
    b.bridge.carry(.text, .incoming, codec: picky)
    let (atB, token) = b.collect(.text)
    a.bus.post(.text, "bad")
    a.bus.post(.text, String(repeating: "x", count: 2 << 20))
    a.bus.post(.text, "good")
    await eventually("the good one arrives") { atB.count == 1 }
    #expect(atB.values == ["good"])
    #expect(a.bridge.counts[.notEncodable] == 1 && a.bridge.counts[.tooLarge] == 1)
    withExtendedLifetime(token) {}
  }

  @Test("Carrying an event out again takes the place of the former way out")
  func carryingAgain() async {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server))
    let b = Party("b", link: ScriptedLink(server))
    b.bridge.carry(.number, .incoming)
    let (atB, token) = b.collect(.number)
    a.bridge.carry(.number, .outgoing)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    a.bus.post(.number, 1)
    await a.bridge.waitUntilFlushed()
    await eventually("it arrives") { atB.count > 0 }
    a.bridge.carry(.number, .outgoing)
    a.bus.post(.number, 2)
    await eventually("it arrives") { atB.count > 1 }
    // An event may arrive before the posting code has counted it.
    await a.bridge.waitUntilFlushed()
    #expect(atB.values == [1, 2])
    #expect(server.stored("S").first == "1")
    #expect(a.bridge.counts.sent == 2 && a.bridge.counts[.refused] == 0)
    withExtendedLifetime(token) {}
  }

  @Test("A handler that never returns does not hold up the drain longer than its limit")
  func drainLimit() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (started, release) = (Collected<Int>(), Latch())
    let token = b.bus.observe(.number) { number in
      started.append(number)
      try await release.wait()
    }
    try await a.bridge.post(.number, 1)
    await eventually("the handler runs") { started.count == 1 }
    let drained = Collected<Void>()
    Task {
      await b.bridge.drain(within: .milliseconds(100))
      drained.append(())
    }
    await eventually("the drain ends") { drained.count == 1 }
    release.open()
    withExtendedLifetime(token) {}
  }

  @Test("Cancelling the token ends the carrying in both directions")
  func cancelling() async {
    let server = ScriptedServer(seed: 0)
    let (a, b) = (
      Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server))
    )
    let carried = a.bridge.carry(.number)
    b.bridge.carry(.number)
    let (atB, tokenB) = b.collect(.number)
    a.bus.post(.number, 1)
    await eventually("it arrives") { atB.count == 1 }
    carried.cancel()
    a.bus.post(.number, 2)
    b.bus.post(.number, 3)
    a.bridge.carry(.other)
    await a.bridge.waitUntilFlushed()
    await b.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.sent == 1 && a.bridge.counts.received == 0)
    #expect(atB.values == [1, 3])
    withExtendedLifetime(tokenB) {}
  }
}
