import EventBus
import EventBusNATS
import Foundation
import LaunchLoader
import NATSServer
import Testing

@Suite("Preparing streams and consumers at a server", .timeLimit(.minutes(5)))
struct PreparingTests {
  @Test("A consumer that exists with another subject is an error that names both")
  func otherSubject() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    let b = try await Party("b", server) { $0.prefix = "shop" }
    let (atB, token) = b.collect(.number)
    a.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let raw = try await NATSConnection(server.url)
    await eventually("the consumer exists") {
      await consumers(raw, "S") == ["c-test=2Enumber"]
    }
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    await eventually("it is reported") {
      b.reports.values.contains { report in
        report.kind == .notPrepared && report.detail.contains("\"events.test.number\"")
          && report.detail.contains("\"shop.test.number\"") && report.detail.contains("c-test")
      }
    }
    #expect(atB.values.isEmpty && b.bridge.counts[.notPrepared] == 1)
    withExtendedLifetime(token) {}
  }

  /// The names of the consumers of a stream.
  private func consumers(_ nats: NATSConnection, _ stream: String) async -> [String] {
    struct Answer: Decodable { let consumers: [String]? }
    do {
      let inbox = "test.\(UInt64.random(in: 0 ... .max))"
      let answers = try nats.rawLink.subscribe(inbox, group: nil, limit: 1) {}
      try nats.rawLink.send(
        OutgoingMessage(subject: "$JS.API.CONSUMER.NAMES.\(stream)", reply: inbox)
      )
      let payload = await answers.next().first?.payload ?? []
      return try JSONDecoder().decode(Answer.self, from: Data(payload)).consumers ?? []
    } catch {
      Issue.record(error)
    }
    return []
  }

  @Test("Events whose consumers would share a name with a plain hyphen go to their own")
  func hyphens() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    let (first, second) = (EventName<Int>("eu-orders"), EventName<Int>("orders"))
    let (atFirst, firstToken) = a.collect(first)
    let (atSecond, secondToken) = a.collect(second)
    let b = try await Party("b", server)
    for name in [first, second] {
      b.bridge.carry(name, .outgoing, delivery: .durable(stream: "S"))
    }
    a.bridge.carry(first, .incoming, delivery: .durable(stream: "S", consumer: "billing"))
    a.bridge.carry(second, .incoming, delivery: .durable(stream: "S", consumer: "billing-eu"))
    try await b.bridge.post(first, 1)
    try await b.bridge.post(second, 2)
    await eventually("both arrive") { atFirst.values == [1] && atSecond.values == [2] }
    withExtendedLifetime((firstToken, secondToken)) {}
  }

  @Test(
    "A search in a stream that the server does not answer throws, and finds nothing only if there is nothing"
  )
  func search() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(urls: [server.url], configuration: .quick())
    let link = raw.rawLink
    try await link.prepareStream(
      "S",
      subjects: ["x"],
      replicas: 1,
      limits: .init(),
      within: .seconds(5)
    )
    let none = try await link.recent("S", subject: "y", upTo: 5, count: 3, within: .seconds(5))
    #expect(none.isEmpty)
    server.signal(SIGSTOP)
    defer { server.signal(SIGCONT) }
    // While the server is stopped, only the limit ends the search.
    await #expect(throws: LinkFailure.disconnected) {
      _ = try await link.recent("S", subject: "x", upTo: 5, count: 3, within: .milliseconds(300))
    }
  }

  @Test("A process that starts later gets its last events although the server pauses in the search")
  func interruptedReplay() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    a.bridge.carry(.kept, .outgoing, delivery: .durable(stream: "STATE"))
    for number in 1...5 { try await a.bridge.post(.kept, number) }
    let b = try await Party("b", server)
    server.signal(SIGSTOP)
    let (values, token) = b.collect(.kept)
    b.bridge.carry(.kept, .incoming, delivery: .durable(stream: "STATE"))
    await eventually("an attempt fails") { b.bridge.counts[.notPrepared] > 0 }
    server.signal(SIGCONT)
    await eventually("the last three arrive") { values.count >= 3 }
    #expect(values.values == [3, 4, 5])
    withExtendedLifetime(token) {}
  }

  @Test("Preparing a stream ends at its deadline, and when the connection is closed")
  func bounded() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(urls: [server.url], configuration: .quick())
    server.signal(SIGSTOP)
    defer { server.signal(SIGCONT) }
    let began = Collected<Void>()
    let preparing = Task {
      began.append(())
      try await raw.rawLink.prepareStream(
        "S",
        subjects: ["x"],
        replicas: 1,
        limits: .init(),
        within: .seconds(3600)
      )
    }
    await eventually("it begins") { began.count == 1 }
    // While the server is stopped, only the deadline ends this one, and the end of the connection the other.
    await #expect(throws: LinkFailure.disconnected) {
      try await raw.rawLink.prepareStream(
        "S",
        subjects: ["x"],
        replicas: 1,
        limits: .init(),
        within: .milliseconds(300)
      )
    }
    raw.close()
    let result = await preparing.result
    #expect(throws: LinkFailure.closed) { try result.get() }
  }

  /// Sends a request to the server, and waits for its answer.
  private func ask(_ nats: NATSConnection, _ subject: String, _ payload: String = "") async throws {
    let inbox = "test.\(UInt64.random(in: 0 ... .max))"
    let answers = try nats.rawLink.subscribe(inbox, group: nil, limit: 1) {}
    let message = OutgoingMessage(subject: subject, reply: inbox, payload: Array(payload.utf8))
    try nats.rawLink.send(message)
    _ = await answers.next()
  }

  /// The error of a call.
  private func error(
    _ body: () async throws(NATSError) -> Void
  ) async -> NATSError? {
    do throws(NATSError) { try await body() } catch { return error }
    return nil
  }

  /// Expects the words of the server at once from everything that waits for a stream.
  private func expect(_ words: String, _ a: Party) async throws {
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    let posted = await error { () async throws(NATSError) in try await a.bridge.post(.number, 1) }
    #expect(posted?.code == .refused && posted?.detail.contains(words) == true, "\(posted as Any)")
    let known = await error { () async throws(NATSError) in try await a.bridge.post(.number, 1) }
    #expect(known?.code == .refused && known?.detail.contains(words) == true, "\(known as Any)")
    a.bridge.carry(.other, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let waited = await error { () async throws(NATSError) in try await a.bridge.waitUntilPrepared()
    }
    #expect(waited?.code == .refused && waited?.detail.contains(words) == true, "\(waited as Any)")
    let run = try LoneService(a.bridge)
    await #expect { try await run.wait() } throws: { "\($0)".contains(words) }
    await eventually("it is reported") {
      a.reports.values.contains { $0.kind == .notPrepared && $0.detail.contains(words) }
    }
    #expect(a.bridge.counts[.notAuthorized] == 0 && !a.bridge.isPrepared)
  }

  @Test("A server without JetStream is named at once, with the remedy")
  func noStreams() async throws {
    let server = try NATSServer(jetStream: false)
    try await expect("nats-server -js", try await Party("a", server))
  }

  @Test("An account without JetStream is named at once, with the remedy")
  func noStreamsForAccount() async throws {
    let accounts = "accounts { A { users: [{ user: u, password: p }] } }\nno_auth_user: u\n"
    let server = try NATSServer(configuration: accounts)
    try await expect("nats-server -js", try await Party("a", server))
  }

  @Test("Replicas on one server are refused with its words at once")
  func replicas() async throws {
    let server = try NATSServer()
    try await expect("replicas > 1 not supported", try await Party("a", server) { $0.replicas = 3 })
  }

  @Test("A subject of another stream is refused with the server's words, until that is deleted")
  func overlap() async throws {
    let server = try NATSServer()
    let raw = try await NATSConnection(server.url)
    try await raw.rawLink.prepareStream(
      "T",
      subjects: ["events.>"],
      replicas: 1,
      limits: .init(),
      within: .seconds(9)
    )
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    let thrown = await error { () async throws(NATSError) in try await a.bridge.post(.number, 1) }
    #expect(thrown?.detail.contains("subjects overlap") == true, "\(thrown as Any)")
    // An event that no call waits for stays.
    a.bus.post(.number, 2)
    try await ask(raw, "$JS.API.STREAM.DELETE.T")
    await eventually("it is stored") { a.bridge.counts.stored == 1 }
    try await a.bridge.waitUntilPrepared()
    #expect(try await a.bridge.post(.number, 3).sequence == 2)
    #expect(a.bridge.isPrepared)
  }

  @Test("A server that rejects is asked again with growing pauses")
  func pauses() {
    var rule = PreparationRule()
    let failure = LinkFailure.rejected("no")
    var pauses: [PreparationRule.Step] = []
    #expect(rule.want() == .begin)
    for _ in 0..<8 {
      pauses.append(rule.ended(failure).step)
      #expect(rule.standing == .denied(failure) && rule.pauseEnded(rule.attempt) == .begin)
    }
    let milliseconds = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]
    #expect(pauses == milliseconds.map { .pause(.milliseconds($0)) })
  }

  @Test("Waits for a server that does not answer have limits, and waiting events are stored later")
  func limits() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let a = Party("a", link: link)
    link.isConnected = false
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    let limit = Duration.milliseconds(50)
    let thrown = await error { () async throws(NATSError) in
      try await a.bridge.waitUntilPrepared(within: limit)
    }
    #expect(thrown?.code == .timedOut && thrown?.detail.contains("test.number") == true)
    let posted = await error { () async throws(NATSError) in
      try await a.bridge.post(.number, 1, within: limit)
    }
    #expect(posted?.code == .timedOut && posted?.detail.contains("still waits") == true)
    #expect(!a.bridge.isPrepared)
    link.isConnected = true
    await a.bridge.waitUntilFlushed()
    #expect(server.stored("S") == ["1"])
    try await a.bridge.waitUntilPrepared()
    #expect(a.bridge.isPrepared)
  }

  @Test("A consumer or a stream that somebody deletes is made again and reported, and goes on")
  func deleted() async throws {
    let server = try NATSServer()
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let raw = try await NATSConnection(server.url)
    let (handled, token) = b.collect(.number)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    for number in 1...5 { try await a.bridge.post(.number, number) }
    await eventually("they are handled") { handled.count == 5 }
    for (round, subject) in ["CONSUMER.DELETE.S.c-test=2Enumber", "STREAM.DELETE.S"].enumerated() {
      try await ask(raw, "$JS.API.\(subject)")
      try await a.bridge.post(.number, 6 + round)
      await eventually("it is handled") { handled.count == 6 + round }
      await eventually("it is reported") { b.bridge.counts[.deleted] == round + 1 }
    }
    #expect(handled.values == Array(1...7))
    await eventually("with its name") {
      b.reports.values.contains { $0.kind == .deleted && $0.detail.contains("c-test=2Enumber") }
    }
    withExtendedLifetime(token) {}
  }

  @Test("A stream that somebody deletes is made again and reported although nothing is posted")
  func deletedStream() async throws {
    let server = try NATSServer()
    let a = try await Party("a", server)
    let raw = try await NATSConnection(server.url)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    try await ask(raw, "$JS.API.STREAM.DELETE.S")
    await eventually("it is reported") {
      a.reports.values.contains { $0.kind == .deleted && $0.detail.contains("the stream S") }
    }
    await eventually("it exists") {
      (try? await raw.rawLink.hasStream("S", within: .seconds(5))) == true
    }
    #expect(a.bridge.counts[.deleted] == 1)
  }

  @Test("As a service, a bridge is ready only when its streams and consumers exist")
  func readiness() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let a = Party("a", link: link)
    link.isConnected = false
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    a.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let run = try LoneService(a.bridge)
    let ready = Collected<Bool>()
    let waiting = Task {
      try await run.waitUntilReady()
      ready.append(server.isHeard("c"))
    }
    await eventually("attempts fail") { a.bridge.counts[.notPrepared] >= 4 }
    #expect(ready.values == [])
    link.isConnected = true
    await eventually("it is ready") { ready.count == 1 }
    #expect(ready.values == [true])
    run.shutdown()
    try await run.wait()
    try await waiting.value
  }

  @Test("A service that is asked to stop before it is ready stops")
  func stoppedBefore() async throws {
    let link = ScriptedLink(ScriptedServer(seed: 0))
    let a = Party("a", link: link)
    link.isConnected = false
    a.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (run, ended) = (try LoneService(a.bridge), Collected<Void>())
    Task {
      try await run.wait()
      ended.append(())
    }
    await eventually("attempts fail") { a.bridge.counts[.notPrepared] >= 2 }
    run.shutdown()
    await eventually("it drains, and ends") {
      link.isConnected = true
      return ended.count == 1
    }
  }

  @Test("A stream that stays unknown is reported after a second, and again")
  func unknownStream() async throws {
    let server = ScriptedServer(seed: 0)
    let a = Party("a", link: ScriptedLink(server))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    server.forgetStreams()
    a.bus.post(.number, 1)
    let start = ContinuousClock.now
    await eventually("it is reported") { a.bridge.counts[.notStored] > 0 }
    #expect(ContinuousClock.now - start > .milliseconds(500))
    server.keepsForgetting = false
    await eventually("it is stored in the end") { a.bridge.counts.stored == 1 }
  }

  @Test("After close, a durable post over a server throws, and flushed returns")
  func closed() async throws {
    let server = try NATSServer()
    let nats = try await NATSConnection(urls: [server.url], configuration: .quick())
    let a = Party("a", over: nats)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.post(.number, 1)
    server.kill()
    let thrown = Collected<NATSError.Code>()
    let (posted, token) = a.collect(.number)
    Task {
      do throws(NATSError) { try await a.bridge.post(.number, 2) } catch {
        thrown.append(error.code)
      }
    }
    await eventually("it is posted") { posted.count == 1 }
    nats.close()
    await a.bridge.waitUntilFlushed()
    await eventually("the post throws") { thrown.values == [.closed] }
    #expect(a.bridge.counts[.givenUp] == 1)
    await eventually("the state is closed") { nats.state.value == .closed }
    withExtendedLifetime(token) {}
  }
}
