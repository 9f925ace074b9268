import EventBus
import EventBusNATS
import Foundation
import LaunchLoader
import Synchronization
import Testing

/// Two parties on a scripted server.
private func pair(
  _ server: ScriptedServer = ScriptedServer(seed: 0),
  _ change: @escaping (inout EventBridge.Configuration) -> Void = { _ in }
) -> (a: Party, linkA: ScriptedLink, b: Party, linkB: ScriptedLink) {
  let (linkA, linkB) = (ScriptedLink(server), ScriptedLink(server))
  return (Party("a", link: linkA, change), linkA, Party("b", link: linkB, change), linkB)
}

/// Waits until the receiver of an event asks for more time, and lets less time pass than it has then.
private func prolong(_ server: ScriptedServer, by duration: Duration) async {
  let count = server.reminders("c")
  await eventually("more time is asked for, or the event has ended") {
    server.reminders("c") > count || server.open("c").isEmpty
  }
  server.advance(by: duration)
}

@Suite("A bridge that ends", .timeLimit(.minutes(5)))
struct EndingTests {
  @Test("Events that wait when a bridge stops are given back once, and handled by the next process")
  func givingBack() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, b, _) = pair(server) { $0.handlingTimeout = .seconds(3600) }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (started, release) = (Collected<Int>(), Latch())
    let token = b.bus.observe(.number) { number in
      started.append(number)
      try await release.wait()
    }
    for number in 1...5 { try await a.bridge.post(.number, number) }
    await eventually("the first is handled, the others wait") {
      started.values == [1] && (2...5).allSatisfy { server.deliveries("c", $0) == 1 }
    }
    let drained = Collected<Void>()
    Task {
      await b.bridge.drain()
      drained.append(())
    }
    await eventually("the bridge does not listen any more") { !server.isHeard("c") }
    release.open()
    await eventually("the drain ends") { drained.count == 1 }
    // Nothing is sent to a bridge that does not listen: while it did, they were sent once.
    #expect((1...5).map { server.deliveries("c", $0) } == [1, 1, 1, 1, 1])
    #expect(server.open("c") == [2, 3, 4, 5])
    let c = Party("c", link: ScriptedLink(server))
    let (handled, other) = c.collect(.number)
    c.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    await eventually("the next process handles the rest") { handled.count == 4 }
    #expect(handled.values == [2, 3, 4, 5] && started.values == [1])
    #expect((2...5).allSatisfy { server.deliveries("c", $0) == 2 })
    withExtendedLifetime((token, other)) {}
  }

  @Test("A handler that outlives its carrying is called once, however long it needs")
  func cancelledCarrying() async throws {
    let server = ScriptedServer(seed: 0)
    server.holdTime()
    let (a, _, b, _) = pair(server) { $0.handlingTimeout = .milliseconds(120) }
    let c = Party("c", link: ScriptedLink(server))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    let way = b.bridge.carry(
      .number,
      .incoming,
      delivery: .durable(stream: "S", consumer: "c")
    )
    let (started, release) = (Collected<Int>(), Latch())
    let token = b.bus.observe(.number) { number in
      started.append(number)
      try await release.wait()
    }
    try await a.bridge.post(.number, 1)
    await eventually("the handler runs") { started.count == 1 }
    way.cancel()
    let (others, other) = c.collect(.number)
    c.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    // Longer than the server waits, in all.
    for _ in 1...5 { await prolong(server, by: .milliseconds(100)) }
    #expect(server.open("c") == [1])
    release.open()
    await eventually("it is acknowledged") { server.open("c").isEmpty }
    #expect(others.values.isEmpty && server.deliveries("c", 1) == 1)
    withExtendedLifetime((token, other)) {}
  }

  @Test("After the connection is closed, posts throw, flushed returns, and lost events are counted")
  func closedConnection() async {
    let server = ScriptedServer(seed: 0)
    let (a, link, _, _) = pair(server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    a.bridge.carry(.other, .outgoing)
    await a.bridge.waitUntilFlushed()
    link.isConnected = false
    for number in 1...3 { a.bus.post(.number, number) }
    for number in 1...5 { a.bus.post(.other, number) }
    let (thrown, flushed) = (Collected<NATSError.Code>(), Collected<Void>())
    let (posted, token) = a.collect(.number)
    Task {
      do throws(NATSError) { try await a.bridge.post(.number, 4) } catch {
        thrown.append(error.code)
      }
    }
    Task {
      await a.bridge.waitUntilFlushed()
      flushed.append(())
    }
    await eventually("the event is posted") { posted.values.last == 4 }
    link.close()
    await eventually("the post throws") { thrown.values == [.closed] }
    await eventually("flushed returns") { flushed.count == 1 }
    #expect(a.bridge.counts[.givenUp] == 4)
    #expect(a.bridge.counts[.droppedOutgoing] == 5)
    // Later events, and later carryings, are no different.
    a.bus.post(.number, 5)
    a.bus.post(.other, 6)
    #expect(a.bridge.counts[.refused] == 1 && a.bridge.counts[.droppedOutgoing] == 6)
    a.bridge.carry(.kept, .outgoing, delivery: .durable(stream: "S"))
    await #expect { try await a.bridge.post(.kept, 1) } throws: {
      ($0 as? NATSError)?.code == .closed
    }
    await a.bridge.waitUntilFlushed()
    withExtendedLifetime(token) {}
  }

  @Test("When the connection is closed, the other nodes have left")
  func closedNodes() async {
    let (a, link, b, _) = pair()
    await eventually("they see each other") {
      a.bridge.node("b").isPresent && b.bridge.node("a").isPresent
    }
    let lifetime = a.bridge.node("b").lifetime
    link.close()
    await eventually("its lifetime ends") { lifetime.hasEnded }
    #expect(a.bridge.nodes.isEmpty)
  }

  @Test("A bridge that drains in a cancelled task sends waiting events, and waits for its handlers")
  func cancelledDrain() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, link, _, _) = pair(server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    await a.bridge.waitUntilFlushed()
    link.isConnected = false
    for number in 1...3 { a.bus.post(.number, number) }
    let began = Collected<Void>()
    let task = Task {
      try? await Latch().wait()
      began.append(())
      await a.bridge.drain(within: .seconds(20))
    }
    task.cancel()
    await eventually("the drain begins") { began.count == 1 }
    link.isConnected = true
    await task.value
    #expect(server.stored("S") == ["1", "2", "3"])
    #expect(a.bridge.counts[.givenUp] == 0)
  }

  @Test("Durable events that a drain gives up are counted, each one, and so are live ones")
  func givenUp() async throws {
    let (a, link, _, _) = pair()
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    a.bridge.carry(.other, .outgoing)
    link.isConnected = false
    for number in 1...7 { a.bus.post(.number, number) }
    for number in 1...4 { a.bus.post(.other, number) }
    await a.bridge.drain(within: .milliseconds(50))
    #expect(a.bridge.counts[.givenUp] == 7)
    #expect(a.bridge.counts[.droppedOutgoing] == 4)
    await eventually("they are reported") {
      a.reports.values.contains {
        $0.kind == .givenUp && $0.count == 7 && $0.event == "test.number"
      }
    }
    await #expect { try await a.bridge.post(.number, 8) } throws: {
      ($0 as? NATSError)?.code == .closed
    }
  }

  @Test("A service whose durable events are not stored when it stops throws, and says how many")
  func lossOfService() async throws {
    for isClosed in [false, true] {
      let (a, link, _, _) = pair()
      a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
      let run = try LoneService(a.bridge)
      try await run.waitUntilReady()
      link.isConnected = false
      for number in 1...3 { a.bus.post(.number, number) }
      if isClosed {
        link.close()
        run.shutdown()
      } else {
        // The time of the host is over.
        run.cancel()
      }
      await #expect {
        try await run.wait()
      } throws: {
        "\($0)".contains("gave up 3 durable events") && "\($0)".contains("no connection")
      }
    }
  }

  @Test("The run of a host throws an error about the events that its bridge has lost when it stops")
  func lossOfApplication() async throws {
    let (a, link, _, _) = pair()
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    let app = AppHost(
      bus: a.bus,
      loader: LaunchLoader(),
      configuration: .init(signals: [:], onMessage: { _ in })
    )
    try app.add(a.bridge)
    let running = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    try await a.bridge.waitUntilPrepared()
    link.isConnected = false
    for number in 1...3 { a.bus.post(.number, number) }
    link.close()
    app.shutdown()
    await #expect {
      _ = try await running.value
    } throws: {
      "\($0)".contains("gave up 3 durable events") && "\($0)".contains("bridge a")
    }
  }

  @Test("A service that stops with a connection stores waiting events, and throws nothing")
  func noLossOfService() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, _, _) = pair(server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    let run = try LoneService(a.bridge)
    try await run.waitUntilReady()
    for number in 1...3 { a.bus.post(.number, number) }
    run.shutdown()
    try await run.wait()
    #expect(server.stored("S") == ["1", "2", "3"])
  }

  @Test("Without a hook, lost events are lines on standard error before a drain returns")
  func lines() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let link = ScriptedLink(ScriptedServer(seed: 0))
      let (bus, silent) = (EventBus(), EventBus())
      let bridge = EventBridge(bus, link: link, node: "mail", .quick())
      let other = EventBridge(silent, link: link, node: "other", .quick { $0.onReport = { _ in } })
      for bridge in [bridge, other] {
        bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
        bridge.carry(.other, .outgoing)
      }
      link.isConnected = false
      for bus in [bus, silent] {
        for number in 1...7 { bus.post(.number, number) }
        for number in 1...4 { bus.post(.other, number) }
      }
      await bridge.drain(within: .milliseconds(50))
      await other.drain(within: .milliseconds(50))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("bridge mail: givenUp: 7 × test.number"), "\(text)")
    #expect(text.contains("there was no connection"), "\(text)")
    #expect(text.contains("bridge mail: droppedOutgoing: 4 × test.other"), "\(text)")
    #expect(!text.contains("other: "), "\(text)")
  }

  @Test("Ending a carrying counts the durable events that it gives up")
  func givenUpByToken() async {
    let (a, link, _, _) = pair()
    let way = a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    link.isConnected = false
    for number in 1...3 { a.bus.post(.number, number) }
    way.cancel()
    #expect(a.bridge.counts[.givenUp] == 3)
  }
}

@Suite("Durable events that return to their bus", .timeLimit(.minutes(5)))
struct OwnEventTests {
  private func both(_ party: Party, _ consumer: String? = "c") {
    party.bridge.carry(.number, delivery: .durable(stream: "S", consumer: consumer))
  }

  @Test(
    "An event whose handlers on the own bus succeeded is acknowledged without calling them again"
  )
  func success() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, _, _) = pair(server)
    both(a)
    let handled = Collected<Int>()
    let tokens = [
      a.bus.observe(.number) { handled.append($0) },
      a.bus.observe(.number) { number in
        await Task.yield()
        handled.append(number)
      },
    ]
    for number in 1...20 { a.bus.post(.number, number) }
    try await a.bridge.post(.number, 21)
    await eventually("all are acknowledged") {
      server.deliveries("c", 21) == 1 && server.open("c").isEmpty
    }
    #expect(handled.values.sorted() == (1...21).flatMap { [$0, $0] })
    #expect(a.bridge.counts[.failed] == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test("An event on which a handler of the own bus failed comes again, by post and by bridge.post")
  func failure() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, _, _) = pair(server)
    both(a)
    let calls = Collected<Int>()
    let token = a.bus.observe(.number) { number in
      await Task.yield()
      calls.append(number)
      if calls.values.count(where: { $0 == number }) == 1 { throw SampleError() }
    }
    a.bus.post(.number, 1)
    try await a.bridge.post(.number, 2)
    await eventually("both are handled again") { calls.values.sorted() == [1, 1, 2, 2] }
    await eventually("both are acknowledged") { server.open("c").isEmpty }
    #expect(a.bridge.counts[.failed] == 2)
    withExtendedLifetime(token) {}
  }

  @Test("An event is not acknowledged while a handler of the own bus runs")
  func running() async throws {
    let server = ScriptedServer(seed: 0)
    server.holdTime()
    let (a, _, _, _) = pair(server) { $0.handlingTimeout = .milliseconds(200) }
    both(a)
    let (calls, release) = (Collected<Int>(), Latch())
    let token = a.bus.observe(.number) { number in
      calls.append(number)
      try await release.wait()
    }
    try await a.bridge.post(.number, 1)
    await eventually("it is delivered") { server.open("c") == [1] }
    for _ in 1...4 { await prolong(server, by: .milliseconds(150)) }
    #expect(server.open("c") == [1] && calls.values == [1])
    release.open()
    await eventually("it is acknowledged") { server.open("c").isEmpty }
    #expect(calls.values == [1])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A process that posts without a handler leaves the events of a shared consumer to the others"
  )
  func noHandler() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, b, _) = pair(server) { $0.retry.attempts = 1000 }
    both(a)
    both(b)
    let (handled, token) = b.collect(.number)
    for number in 1...20 { try await a.bridge.post(.number, number) }
    await eventually("the other process handles all") { Set(handled.values) == Set(1...20) }
    await eventually("all are acknowledged") { server.open("c").isEmpty }
    withExtendedLifetime(token) {}
  }

  @Test("A node's own consumer acknowledges the events that it posted without a handler")
  func noHandlerAlone() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, _, _) = pair(server)
    both(a, nil)
    try await a.bridge.post(.number, 1)
    await eventually("it is acknowledged") {
      server.deliveries("a", 1) == 1 && server.open("a").isEmpty
    }
    #expect(a.bridge.counts[.failed] == 0)
  }

  @Test("Two consumers on one bus each acknowledge an event whose handlers succeeded")
  func twoConsumers() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, _, _) = pair(server)
    both(a)
    a.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "d"))
    let (handled, token) = a.collect(.number)
    for number in 1...20 { try await a.bridge.post(.number, number) }
    await eventually("both acknowledge all") {
      ["c", "d"].allSatisfy { server.deliveries($0, 20) == 1 && server.open($0).isEmpty }
    }
    #expect(handled.values == Array(1...20))
    withExtendedLifetime(token) {}
  }
}

@Suite("Dead letters", .timeLimit(.minutes(5)))
struct DeadLetterTests {
  @Test(
    "A dead letter that is too large with its error is stored without its payload, with its size"
  )
  func tooLarge() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, b, _) = pair(server) { $0.retry.attempts = 1 }
    a.bridge.carry(.text, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.text, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let token = b.bus.observe(.text) { (_: String) in throw SampleError() }
    // As large as the server accepts, with its quotation marks.
    try await a.bridge.post(.text, String(repeating: "x", count: (1 << 20) - 2))
    await eventually("the dead letter is stored") { b.bridge.counts[.deadLetter] == 1 }
    let letter = try #require(server.deadLetters("S").first)
    #expect(letter.payload.isEmpty)
    #expect(letter.error.contains("1048576 bytes") && letter.error.contains("SampleError"))
    await eventually("the event has ended") { server.open("c").isEmpty }
    withExtendedLifetime(token) {}
  }

  @Test("A dead letter has the bytes that arrived")
  func sameBytes() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let (a, _, b, _) = pair(server) { $0.retry.attempts = 1 }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let token = b.bus.observe(.number) { (_: Int) in throw SampleError() }
    await a.bridge.waitUntilFlushed()
    try await a.bridge.post(.number, 1)
    let payloads = ["  7 ", "\u{1}not json\u{FF}"]
    for (index, payload) in payloads.enumerated() {
      let header = WireHeader(
        node: "x",
        incarnation: 5,
        sequence: UInt64(index + 1),
        version: 1,
        contentType: "json"
      )
      try link.send(
        OutgoingMessage(
          subject: "events.test.number",
          header: header.bytes,
          payload: Array(payload.utf8)
        )
      )
    }
    await eventually("all are dead letters") { b.bridge.counts[.deadLetter] == 3 }
    let stored = server.deadLetters("S").map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(stored.sorted() == (["1"] + payloads).sorted())
    withExtendedLifetime(token) {}
  }

  @Test("A dead letter is stored although another publisher has used the identifier that it had")
  func occupied() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let (a, _, b, _) = pair(server) { $0.retry.attempts = 1 }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let token = b.bus.observe(.number) { (_: Int) in throw SampleError() }
    try await b.bridge.waitUntilPrepared()
    // The second one is the event: all that its identifier had is known to every subscriber.
    let id = "dead-events.test.number-c-test=2Enumber-S-2-1002"
    try link.send(OutgoingMessage(subject: "events._dead.test.number", id: id))
    try await a.bridge.post(.number, 1)
    await eventually("it is stored") { server.deadLetters("S").count == 2 }
    #expect(server.deadLetters("S").last?.error.contains("SampleError") == true)
    withExtendedLifetime(token) {}
  }

  @Test("The answer that an event was stored before is not a receipt if it was sent once")
  func forgedDuplicate() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, _, _) = pair(server) { $0.answerTimeout = .seconds(3600) }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    let ids = Collected<String>()
    server.forge { message in
      guard let id = message.id, ids.count < 3 else { return nil }
      ids.append(id)
      return "{\"stream\":\"S\",\"seq\":99,\"duplicate\":true}"
    }
    let receipt = try await a.bridge.post(.number, 1)
    #expect(receipt.sequence == 1 && !receipt.isDuplicate)
    #expect(server.stored("S") == ["1"])
    #expect(Set(ids.values).count == 3 && a.bridge.counts[.notStored] >= 1)
  }

  @Test("A dead letter that the server always refuses ends the event after some attempts, counted")
  func refused() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, b, _) = pair(server) { $0.retry.attempts = 2 }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    server.refuse("S") { $0.subject.contains("._dead.") }
    let calls = Collected<Int>()
    let token = b.bus.observe(.number) { number in
      calls.append(number)
      throw SampleError()
    }
    try await a.bridge.post(.number, 1)
    await eventually("it is given up") { b.bridge.counts[.deadLetterRefused] == 1 }
    await eventually("the event has ended") { server.open("c").isEmpty }
    #expect(calls.count == 2)
    #expect(b.bridge.counts[.deadLetter] == 0 && server.deadLetters("S").isEmpty)
    withExtendedLifetime(token) {}
  }
}

@Suite("Limits and wrong uses", .timeLimit(.minutes(5)))
struct LimitTests {
  @Test("Waiting live events are also limited by their bytes; the oldest drop, counted")
  func liveBytes() async {
    let server = ScriptedServer(seed: 0)
    let (a, link, b, _) = pair(server) { $0.byteLimit = 10_000 }
    a.bridge.carry(.text, .outgoing)
    b.bridge.carry(.text, .incoming)
    let (atB, token) = b.collect(.text)
    a.bus.post(.text, "first")
    await eventually("the first one arrives") { atB.count == 1 }
    link.isConnected = false
    let text = String(repeating: "x", count: 998)
    for number in 1...50 { a.bus.post(.text, "\(number % 10)\(text.dropFirst())") }
    await eventually("the oldest drop") { a.bridge.counts[.droppedOutgoing] == 40 }
    link.isConnected = true
    await eventually("the rest arrives") { atB.count == 11 }
    #expect(b.bridge.counts[.gap] == 40)
    withExtendedLifetime(token) {}
  }

  @Test("Waiting durable events are also limited by their bytes; further ones are refused")
  func durableBytes() async {
    let server = ScriptedServer(seed: 0)
    let (a, link, _, _) = pair(server) { $0.byteLimit = 10_000 }
    a.bridge.carry(.text, .outgoing, delivery: .durable(stream: "S"))
    await a.bridge.waitUntilFlushed()
    link.isConnected = false
    let text = String(repeating: "x", count: 998)
    var posted = 0
    await eventually("one is refused") {
      a.bus.post(.text, text)
      posted += 1
      return a.bridge.counts[.refused] > 0
    }
    // Some may be added before the bytes of earlier ones count.
    #expect(posted > 10)
    link.isConnected = true
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == posted - a.bridge.counts[.refused])
    a.bus.post(.text, text)
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == posted - a.bridge.counts[.refused] + 1)
  }

  @Test("Received events whose bytes exceed the limit wait at the server, and all are handled")
  func heldBytes() async throws {
    let server = ScriptedServer(seed: 0)
    let (a, _, b, _) = pair(server) { $0.byteLimit = 5000 }
    a.bridge.carry(.text, .outgoing, delivery: .durable(stream: "S"))
    let (handled, token) = b.collect(.text)
    for number in 1...20 {
      try await a.bridge.post(.text, "\(number)-\(String(repeating: "x", count: 1500))")
    }
    b.bridge.carry(.text, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    await eventually("all are handled") { handled.count >= 20 }
    #expect(Set(handled.values).count == 20 && b.bridge.counts[.failed] == 0)
    await eventually("all are acknowledged") { server.open("c").isEmpty }
    withExtendedLifetime(token) {}
  }

  @Test("Reports for a slow hook are limited, and their numbers are complete")
  func slowHook() async {
    let server = ScriptedServer(seed: 0)
    let gate = DispatchSemaphore(value: 0)
    let reports = Collected<BridgeReport>()
    var configuration = EventBridge.Configuration.quick()
    configuration.onReport = { report in
      if reports.count == 0 { gate.wait() }
      reports.append(report)
    }
    let bridge = EventBridge(EventBus(), link: ScriptedLink(server), node: "b", configuration)
    bridge.carry(.number)
    let link = ScriptedLink(server)
    for number in 1...5000 {
      // The words differ, so that no two are one.
      let header = Array("1;x;1;\(number);\(number + 1);json".utf8)
      let message = OutgoingMessage(subject: "events.test.number", header: header)
      do throws(LinkFailure) { try link.send(message) } catch { Issue.record("\(error)") }
    }
    await eventually("all are counted") { bridge.counts[.unknownVersion] == 5000 }
    gate.signal()
    await eventually("all are reported") { reports.values.reduce(0) { $0 + $1.count } == 5000 }
    #expect(reports.count < 2100)
  }

  @Test(
    "A stream whose name the server would refuse is reported with the remedy, and post throws it"
  )
  func streamNames() async {
    let (a, _, _, _) = pair()
    for name in ["a b", "a.b", "", "*", "x/y", "a\r\nb", String(repeating: "x", count: 300)] {
      a.bridge.carry(.number, .outgoing, delivery: .durable(stream: name))
      await #expect { try await a.bridge.post(.number, 1) } throws: {
        ($0 as? NATSError)?.code == .invalidName
      }
      await a.bridge.waitUntilFlushed()
    }
    await eventually("each is reported") { a.bridge.counts[.notPrepared] >= 7 }
    #expect(
      a.reports.values.contains {
        $0.kind == .notPrepared && $0.detail.contains("\"a b\"")
          && $0.detail.contains("use letters, digits")
      }
    )
    #expect(Subject.problem("ORDERS_2-x", of: "stream") == nil)
  }

  @Test("A sequence that no bridge reaches is counted as unreadable, and later events still arrive")
  func highSequence() async throws {
    let server = ScriptedServer(seed: 0)
    let (_, _, b, _) = pair(server)
    let link = ScriptedLink(server)
    b.bridge.carry(.number)
    let (atB, token) = b.collect(.number)
    for (incarnation, sequence) in [
      (1, "18446744073709551615"), (1, "1"), (1, "18446744073709551615"), (1, "2"),
      (2, "1"), (2, "9000000000000000000"), (2, "4000000000000000000"), (2, "2"),
      (3, "4611686018427387904"), (3, "4611686018427387905"),
    ] {
      try link.send(
        OutgoingMessage(
          subject: "events.test.number",
          header: Array("1;x;\(incarnation);\(sequence);1;json".utf8),
          payload: Array("7".utf8)
        )
      )
    }
    await eventually("the plausible ones arrive") { b.bridge.counts.received == 5 }
    await eventually("the others are counted") { b.bridge.counts[.unreadableHeader] == 5 }
    #expect(atB.count == 5 && b.bridge.counts[.past] == 0 && b.bridge.counts[.gap] == 0)
    withExtendedLifetime(token) {}
  }
}
