import EventBus
import EventBusNATS
import NATSServer
import Testing

private enum Trace {
  @TaskLocal static var parent = ""

  static let propagation = EventPropagation {
    parent.isEmpty ? [:] : ["traceparent": parent, "Bad": "a\r\nPUB x 0"]
  } restore: { fields, post in
    $parent.withValue(fields["traceparent", default: ""], operation: post)
  } restoreWhileHandling: { fields, post in
    await $parent.withValue(fields["traceparent", default: ""], operation: post)
  }
}

@Suite("The rules for messages of other programs", .timeLimit(.minutes(5)))
struct ForeignMessageRuleTests {
  @Test("Plain messages and CloudEvents 1.0 in binary mode are taken, and nothing else")
  func check() {
    func problem(_ fields: [String: String]) -> String? {
      do throws(ForeignMessage.Problem) {
        try ForeignMessage.check(fields, contentType: "json")
        return nil
      } catch {
        switch error {
        case .unreadable: return "unreadable"
        case .unknown: return "unknown"
        }
      }
    }
    let event = ["ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "t"]
    #expect(problem([:]) == nil && problem(event) == nil)
    for type in ["json", "application/json", "Application/JSON; charset=utf-8", "text/json", ""] {
      #expect(problem(["content-type": type]) == nil)
    }
    #expect(problem(event.merging(["content-type": "application/x+json"]) { $1 }) == nil)
    for type in ["text/plain", "application/xml", "application/json5", "x", "notjson"] {
      #expect(problem(["content-type": type]) == "unknown")
    }
    #expect(problem(["content-type": "application/cloudevents+json"]) == "unreadable")
    for name in event.keys {
      var partial = event
      partial[name] = nil
      #expect(problem(partial) == "unreadable")
      partial[name] = ""
      #expect(problem(partial) == (name == "ce-specversion" ? "unknown" : "unreadable"))
    }
    for version in ["0.3", "1.1", "2.0"] {
      #expect(problem(event.merging(["ce-specversion": version]) { $1 }) == "unknown")
    }
  }

  @Test("Fields that would forge a header, or take the place of another one, do not travel")
  func usable() {
    let good = ["traceparent": "00-1-2-01", "X-Request_1": "a b"]
    let bad = [
      "": "x", "a b": "x", "a:b": "x", "a\r\n": "x", "Nats-Msg-Id": "x", "event-bus": "x",
      "Event-Bus-Error": "x", "v1": "a\r\nb", "v2": "a\nb", "v3": "\0", "v4": "ü",
    ]
    #expect(MessageFields.usable(good.merging(bad) { $1 }) == good)
    let large = ["a": String(repeating: "x", count: 8000), "b": String(repeating: "x", count: 500)]
    #expect(MessageFields.usable(large).keys.sorted() == ["a"])
    #expect(MessageFields.arrived(["ce-traceparent": "1"])["traceparent"] == "1")
    #expect(
      MessageFields.arrived(["ce-traceparent": "1", "traceparent": "2"])["traceparent"] == "2"
    )
  }
}

@Suite("Reports and counts as values", .timeLimit(.minutes(5)))
struct ReportRuleTests {
  @Test("Counts and reports are available by name, for logs and metrics")
  func values() async throws {
    let link = ScriptedLink(ScriptedServer(seed: 0))
    let a = Party("a", link: link)
    a.bridge.carry(.number, .incoming)
    try await a.bridge.waitUntilPrepared()
    try link.send(OutgoingMessage(subject: "events.test.number"))
    await eventually("it is reported") { a.reports.count == 1 }
    let values = a.bridge.counts.values
    #expect(values["unreadableHeader"] == 1 && values["received"] == 0)
    #expect(values["sent"] == 0 && values["gap"] == nil)
    let fields = a.reports.values.first?.fields ?? [:]
    #expect(fields["kind"] == "unreadableHeader" && fields["event"] == "test.number")
    #expect(fields["count"] == "1" && fields["node"] == nil && fields["detail"] != nil)
  }

  @Test("The levels are the events that wait for the server, their bytes, and the lag of consumers")
  func levels() async throws {
    let server = ScriptedServer(seed: 0)
    let (link, other) = (ScriptedLink(server), ScriptedLink(server))
    let (a, b) = (Party("a", link: link), Party("b", link: other))
    a.bridge.carry(.text, .outgoing)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "billing"))
    try await a.bridge.waitUntilPrepared()
    try await b.bridge.waitUntilPrepared()
    #expect(a.bridge.levels.waitingEvents == 0 && a.bridge.levels.lag.isEmpty)
    #expect(b.bridge.levels.lag == ["test.number": 0])

    link.isConnected = false
    a.bus.post(.text, "abc")
    a.bus.post(.number, 7)
    // "abc" in quotation marks, and a digit.
    await eventually("the payloads are encoded") { a.bridge.levels.waitingBytes == 6 }
    #expect(a.bridge.levels.waitingEvents == 2)

    let (latch, begun) = (Latch(), Collected<Int>())
    let handler = b.bus.observe(.number) { number async in
      begun.append(number)
      try? await latch.wait()
    }
    link.isConnected = true
    await eventually("the handler runs") { begun.count == 1 }
    #expect(b.bridge.levels.lag == ["test.number": 1])
    latch.open()
    await eventually("the event is answered") { b.bridge.levels.lag == ["test.number": 0] }
    await eventually("nothing waits") { a.bridge.levels.waitingEvents == 0 }
    #expect(a.bridge.levels.waitingBytes == 0)
    withExtendedLifetime(handler) {}
  }
}

@Suite("Messages of other programs over a server", .timeLimit(.minutes(5)))
struct ForeignMessageTests {
  private let event = [
    "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/shop", "ce-type": "test.number",
    "Content-Type": "application/json",
  ]

  @Test("Named live events accept plain JSON and CloudEvents, and count other messages")
  func live() async throws {
    let server = try NATSServer(jetStream: false)
    let b = try await Party("b", server)
    let raw = try await NATSConnection(server.url)
    b.bridge.carry(.number, .incoming, accepting: .all)
    b.bridge.carry(.other, .incoming)
    let (values, token) = b.collect(.number)
    let (others, otherToken) = b.collect(.other)
    try await b.bridge.waitUntilPrepared()
    func send(_ text: String, _ fields: [String: String], _ name: String) throws {
      try raw.rawLink.send(
        OutgoingMessage(subject: "events.\(name)", fields: fields, payload: Array(text.utf8))
      )
    }
    try send("1", [:], "test.number")
    try send("2", event, "test.number")
    try send("3", ["Ce-Specversion": "0.3"], "test.number")
    try send("x", [:], "test.number")
    try send("5", event, "test.other")
    try send("6", [:], "test.number")
    await eventually("the last arrives") { values.values == [1, 2, 6] }
    await eventually("the others are counted") {
      b.bridge.counts[.unknownVersion] == 1 && b.bridge.counts[.unreadablePayload] == 1
        && b.bridge.counts[.unreadableHeader] == 1
    }
    #expect(others.values == [] && b.bridge.counts.received == 3)
    withExtendedLifetime((token, otherToken)) {}
  }

  @Test("Durable events of other programs are handled, acknowledged, and become dead letters")
  func durable() async throws {
    let server = try NATSServer()
    let b = try await Party("b", server) { $0.retry.attempts = 2 }
    let raw = try await NATSConnection(server.url)
    let delivery = EventBridge.Delivery.durable(stream: "S", consumer: "c")
    b.bridge.carry(.number, .incoming, delivery: delivery, accepting: .all)
    let handled = Collected<Int>()
    let token = b.bus.observe(.number) { number in
      if number == 2 { throw SampleError() }
      handled.append(number)
    }
    try await b.bridge.waitUntilPrepared()
    for (text, fields) in [("1", [:]), ("2", event), ("x", [:]), ("4", event)] {
      try raw.rawLink.send(
        OutgoingMessage(
          subject: "events.test.number",
          fields: fields,
          payload: Array(text.utf8)
        )
      )
    }
    await eventually("the good ones are handled") { handled.values == [1, 4] }
    await eventually("the others are dead letters") { b.bridge.counts[.deadLetter] == 2 }
    #expect(b.bridge.counts.duplicates == 0)
    withExtendedLifetime(token) {}
  }

  @Test("The context of the caller travels in the header, to handlers of live and durable events")
  func propagation() async throws {
    let server = try NATSServer()
    let change: (inout EventBridge.Configuration) -> Void = { $0.propagation = Trace.propagation }
    let (a, b) = (try await Party("a", server, change), try await Party("b", server, change))
    let raw = try await NATSConnection(server.url)
    let wire = try raw.rawLink.subscribe(
      "events.test.>",
      group: nil,
      limit: 10,
      sizeLimit: .max,
      readsFields: true
    ) {}
    try await wire.confirm(within: .seconds(10))
    a.bridge.carry(.number, .outgoing)
    b.bridge.carry(.number, .incoming)
    a.bridge.carry(.other, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.other, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (live, durable) = (Collected<String>(), Collected<String>())
    let tokens = [
      b.bus.observe(.number) { _ in live.append(Trace.parent) },
      b.bus.observe(.other) { _ in durable.append(Trace.parent) },
    ]
    try await b.bridge.waitUntilPrepared()
    Trace.$parent.withValue("00-live") { a.bus.post(.number, 1) }
    try await Trace.$parent.withValue("00-durable") { _ = try await a.bridge.post(.other, 2) }
    a.bus.post(.number, 3)
    await eventually("all arrive") { live.count == 2 && durable.count == 1 }
    #expect(live.values == ["00-live", ""])
    #expect(durable.values == ["00-durable"])
    let sent = await wire.next(3).map { $0.fields["traceparent"] ?? "" }
    #expect(Set(sent) == ["00-live", "00-durable", ""])
    withExtendedLifetime(tokens) {}
  }
}
