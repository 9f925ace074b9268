import EventBus
import EventBusNATS
import Testing

@Suite("Rules for server permissions", .timeLimit(.minutes(5)))
struct DenialRuleTests {
  @Test("The errors of servers are read, and no other text is")
  func reading() {
    func read(_ text: String) -> [String] {
      Denial(text).map { ["\($0.action)", $0.subject, $0.text] } ?? []
    }
    for (text, action) in [
      ("Permissions Violation for Publish to \"a.b\"", "publish"),
      ("Permissions Violation for Publish with Reply of \"a.b\"", "publish"),
      ("'Permissions violation for publish to \"a.b\"'", "publish"),
      ("Permissions Violation for Subscription to \"a.b\"", "subscribe"),
      ("Permissions Violation for Subscription to \"a.b\" using queue \"g\"", "subscribe"),
      ("Permissions Violation for Subscription to \"a.b\" (sid \"3\")", "subscribe"),
    ] {
      #expect(read(text) == [action, "a.b", text])
    }
    for text in [
      "", "\"", "\"\"", "Authorization Violation", "Permissions Violation for Publish to \"\"",
      "Permissions Violation for Publish to \"a", "Permissions Violation for Dancing to \"a\"",
      "maximum subscriptions exceeded", "Permissions Violation",
    ] {
      #expect(read(text) == [])
    }
  }

  @Test("A log finds the denial of a subscription that came after it, and of a request")
  func log() {
    var log = DenialLog()
    log.append(Denial(.subscribe, "a", "first"))
    let before = log.count
    #expect(log.subscription(to: "a", after: 0)?.text == "first")
    #expect(log.subscription(to: "a", after: before) == nil)
    log.append(Denial(.publish, "$JS.API.CONSUMER.DURABLE.CREATE.S.c", "second"))
    #expect(log.request(about: "S", after: before)?.text == "second")
    #expect(log.request(about: "S", after: log.count) == nil)
    #expect(log.request(about: "T", after: 0) == nil)
    log.append(Denial(.subscribe, "_INBOX.x.*", "third"))
    #expect(log.request(about: "T", after: log.count)?.text == "third")
    log.reconnected()
    #expect(log.request(about: "T", after: log.count) == nil)
    #expect(log.contains("first") && !log.contains("fourth"))
    for _ in 0..<1000 { log.append(Denial(.publish, "b", "b")) }
    #expect(log.count == 1003 && !log.contains("first"))
  }

  @Test("A log finds the denial of a request below another prefix, and that of another inbox")
  func prefixes() {
    var log = DenialLog(api: "$JS.hub.API", inbox: "answers.mail")
    log.append(Denial(.publish, "$JS.API.STREAM.INFO.S", "first"))
    log.append(Denial(.subscribe, "_INBOX.x", "second"))
    #expect(log.request(about: "S", after: 0) == nil)
    log.append(Denial(.publish, "$JS.hub.API.STREAM.INFO.S", "third"))
    #expect(log.request(about: "S", after: 0)?.text == "third")
    log.append(Denial(.subscribe, "answers.mail.x", "fourth"))
    #expect(log.request(about: "T", after: 0)?.text == "fourth")
  }

  @Test("Denied messages are the oldest without an acknowledgement, as many as were denied")
  func outbox() {
    var outbox = Outbox<String>(window: 10, timeout: .seconds(1))
    let start = ContinuousClock.now
    for item in ["a", "b", "c", "d"] { outbox.append(item) }
    _ = outbox.takeDue(at: start, most: 3)
    #expect(outbox.takeDenied(at: start + .seconds(9)) == [])
    outbox.deny(at: start)
    outbox.deny(at: start)
    #expect(outbox.takeDenied(at: start + .milliseconds(499)) == [])
    // The acknowledgements of messages sent before were on their way.
    _ = outbox.remove(1)
    #expect(outbox.takeDenied(at: start + .milliseconds(500)) == [2, 3])
    #expect(outbox.takeDenied(at: start + .seconds(1)) == [])
    // Messages that were never sent were not denied.
    for _ in 0..<9 { outbox.deny(at: start) }
    #expect(outbox.takeDenied(at: start + .seconds(1)) == [2, 3])
    outbox.deny(at: start)
    outbox.sendAgain()
    #expect(outbox.takeDenied(at: start + .seconds(1)) == [])
  }

  @Test(
    "Preparations are repeated until they succeed, with growing pauses, and again after a loss"
  )
  func preparing() {
    let denied = LinkFailure.notAuthorized("no")
    var rule = PreparationRule()
    #expect(rule.standing == .open && rule.want() == .begin && rule.want() == .rest)
    // It was wanted again meanwhile.
    #expect(rule.ended(nil) == (.begin, nil) && rule.ended(nil) == (.rest, nil))
    #expect(rule.standing == .prepared && rule.want() == .begin)
    var pauses: [PreparationRule.Step] = []
    for _ in 0..<8 {
      pauses.append(rule.ended(.disconnected).step)
      #expect(rule.standing == .open)
      #expect(rule.pauseEnded(rule.attempt - 1) == .rest && rule.pauseEnded(rule.attempt) == .begin)
    }
    #expect(
      pauses == [50, 100, 200, 400, 800, 1600, 2000, 2000].map { .pause(.milliseconds($0)) }
    )
    #expect(rule.ended(nil) == (.rest, nil))
    // Taken back, and denied again.
    #expect(rule.denied(denied) == .pause(.milliseconds(250)) && rule.standing == .denied(denied))
    #expect(rule.denied(denied) == .rest && rule.pauseEnded(rule.attempt) == .begin)
    #expect(rule.ended(denied) == (.pause(.milliseconds(500)), denied))
    // A reconnection ends the pause.
    let attempt = rule.attempt
    #expect(rule.want(isNew: true) == .begin && rule.pauseEnded(attempt) == .rest)
    // The attempt did not notice that it was denied meanwhile.
    #expect(rule.denied(denied) == .rest)
    #expect(rule.ended(nil) == (.pause(.milliseconds(250)), denied))
    #expect(rule.want() == .begin && rule.ended(.invalid("x")) == (.rest, .invalid("x")))
    #expect(rule.standing == .refused(.invalid("x")) && rule.want(isNew: true) == .rest)
  }

  @Test("A durable post throws at once when it is known to be denied, and the event is not posted")
  func knownDenial() async {
    // What `waitUntilPrepared()` throws is known to the next post, however soon that follows.
    for seed in 0..<200 {
      let server = ScriptedServer(seed: UInt64(seed))
      let link = ScriptedLink(server)
      let a = Party("a", link: link)
      let subject = "\(link.inbox)."
      server.denyPrefix(subject)
      a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
      await #expect { try await a.bridge.waitUntilPrepared() } throws: {
        ($0 as? NATSError)?.code == .notAuthorized
      }
      let (local, token) = a.collect(.number)
      await #expect { try await a.bridge.post(.number, 1) } throws: {
        ($0 as? NATSError)?.code == .notAuthorized
      }
      #expect(local.values.isEmpty)
      a.bus.post(.number, 2)
      #expect(a.bridge.counts[.refused] == 1)
      withExtendedLifetime(token) {}
    }
  }

  @Test("A subscription that the server takes back is made again when it may be")
  func takenBack() async throws {
    let server = ScriptedServer(seed: 0)
    let linkB = ScriptedLink(server)
    let (a, b) = (Party("a", link: ScriptedLink(server)), Party("b", link: linkB))
    a.bridge.carry(.number, .outgoing)
    b.bridge.carry(.number, .incoming)
    let (atB, token) = b.collect(.number)
    try await b.bridge.waitUntilPrepared()
    a.bus.post(.number, 1)
    await eventually("it arrives") { atB.values == [1] }
    linkB.deny(.subscribe, "events.test.number")
    await eventually("it is counted") { b.bridge.counts[.notAuthorized] > 0 }
    await #expect { try await b.bridge.waitUntilPrepared() } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    server.permit()
    await eventually("events arrive again") {
      a.bus.post(.number, 2)
      return atB.count > 1
    }
    try await b.bridge.waitUntilPrepared()
    withExtendedLifetime(token) {}
  }
}
