import EventBus
import EventBusNATS
import NATSServer
import Testing
import _EventBusLocks

@Suite("Credentials that a server refuses for a while", .timeLimit(.minutes(5)))
struct RefusedCredentialsTests {
  private func password(_ password: String) -> String {
    "authorization { user: \"mail\", password: \"\(password)\" }\n"
  }

  @Test("After the server has refused them many times, events are stored and handled again")
  func refused() async throws {
    let server = try NATSServer(configuration: password("one"))
    let options = NATSConnection.Configuration.quick {
      $0.credentials = .user("mail", password: "one")
    }
    let nats = try await NATSConnection(urls: [server.url], configuration: options)
    let a = Party("a", over: nats)
    let (handled, handling) = a.collect(.number)
    let (heard, hearing) = a.collect(.other)
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    a.bridge.carry(.other, .incoming)
    try await a.bridge.waitUntilPrepared()
    try await a.bridge.post(.number, 1)
    await eventually("it is handled") { handled.values == [1] }
    #expect(a.bridge.isPrepared)

    try server.reload(configuration: password("two"))
    // The client itself gives up after the second one.
    await eventually("they are refused again and again") {
      a.reports.values.filter { $0.kind == .notAuthorized && $0.event == "_connection" }
        .reduce(0) { $0 + $1.count } >= 4
    }
    if case .reconnecting = nats.state.value {} else { Issue.record("\(nats.state.value)") }
    #expect(!a.bridge.isPrepared)
    await #expect { try await a.bridge.waitUntilPrepared(within: .milliseconds(50)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    await #expect { try await a.bridge.post(.number, 2, within: .milliseconds(50)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    a.bus.post(.number, 3)

    try server.reload(configuration: password("one"))
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == 3)
    await eventually("they are handled") { handled.values.sorted() == [1, 2, 3] }
    await eventually("it is connected") { nats.state.value == .connected(to: server.url) }
    try await a.bridge.waitUntilPrepared()
    #expect(a.bridge.counts[.notPrepared] == 0 && a.bridge.counts[.givenUp] == 0)
    #expect(a.bridge.counts[.refused] == 0 && nats.reconnectCount == 1)
    // Live subscriptions are there again as well.
    let other = Party(
      "b",
      over: try await NATSConnection(urls: [server.url], configuration: options)
    )
    other.bridge.carry(.other, .outgoing)
    await eventually("live events arrive") {
      other.bus.post(.other, 1)
      return heard.count > 0
    }
    await nats.drain()
    await eventually("it is closed") { nats.state.value == .closed }
    withExtendedLifetime((handling, hearing)) {}
  }

  @Test("A connection that is closed while its credentials are refused stays closed")
  func closed() async throws {
    let server = try NATSServer(jetStream: false, configuration: password("one"))
    let options = NATSConnection.Configuration.quick {
      $0.credentials = .user("mail", password: "one")
    }
    let nats = try await NATSConnection(urls: [server.url], configuration: options)
    let a = Party("a", over: nats)
    try server.reload(configuration: password("two"))
    await eventually("they are refused") { a.bridge.counts[.notAuthorized] >= 3 }
    nats.close()
    await eventually("it is closed") { nats.state.value == .closed }
    try server.reload(configuration: password("one"))
    // Another one with these credentials is accepted, so that this one would be.
    await eventually("the server accepts them") {
      (try? await NATSConnection(urls: [server.url], configuration: options)) != nil
    }
    #expect(nats.state.value == .closed && nats.reconnectCount == 0)
    await a.bridge.waitUntilFlushed()
  }

  @Test("Renewed credentials are asked for again after the server has refused the last ones")
  func renewed() async throws {
    func token(_ token: String) -> String { "authorization { token: \"\(token)\" }\n" }
    let server = try NATSServer(jetStream: false, configuration: token("one"))
    let present = Locked("one")
    let calls = Collected<String>()
    let options = NATSConnection.Configuration.quick {
      $0.credentials = .renewed {
        let token = present.withLock { $0 }
        calls.append(token)
        if token == "none" { throw SampleError() }
        return .token(token)
      }
    }
    let nats = try await NATSConnection(urls: [server.url], configuration: options)
    #expect(calls.values == ["one"])
    let a = Party("a", over: nats)
    present.withLock { $0 = "none" }
    try server.reload(configuration: token("two"))
    await eventually("the closure fails") { calls.values.contains("none") }
    present.withLock { $0 = "two" }
    await eventually("it is connected") {
      nats.state.value == .connected(to: server.url) && nats.reconnectCount > 0
    }
    #expect(calls.values.last == "two")
    await eventually("the failure is reported") {
      a.reports.values.contains { $0.detail.contains("SampleError") }
    }
    present.withLock { $0 = "none" }
    await #expect {
      _ = try await NATSConnection(urls: [server.url], configuration: options)
    } throws: {
      ($0 as? NATSError)?.code == .notAuthorized && "\($0)".contains("SampleError")
    }
  }

  @Test("While no server can be reached, renewed credentials are not asked for again")
  func unreachable() async throws {
    func token(_ token: String) -> String { "authorization { token: \"\(token)\" }\n" }
    let server = try NATSServer(jetStream: false, configuration: token("one"))
    let present = Locked("one")
    let calls = Collected<String>()
    let options = NATSConnection.Configuration.quick {
      $0.credentials = .renewed {
        let token = present.withLock { $0 }
        calls.append(token)
        return .token(token)
      }
    }
    let nats = try await NATSConnection(urls: [server.url], configuration: options)
    let a = Party("a", over: nats)
    func failures() -> Int {
      a.reports.values.filter { $0.event == "_connection" && $0.kind == .notPrepared }
        .reduce(0) { $0 + $1.count }
    }
    try server.reload(configuration: token("two"))
    await eventually("the closure is called again") { calls.count >= 3 }
    server.kill()
    await eventually("no server can be reached") { failures() >= 1 }
    let (before, missing) = (calls.count, failures())
    await eventually("attempts follow") { failures() >= missing + 3 }
    // One call for the last refusal at most.
    #expect(calls.count <= before + 1)
    present.withLock { $0 = "two" }
    try server.launch()
    await eventually("it is connected") { nats.state.value == .connected(to: server.url) }
    #expect(calls.values.last == "two")
  }

  @Test("Closing a connection ends the wait for renewed credentials, and releases it")
  func hanging() async throws {
    func token(_ token: String) -> String { "authorization { token: \"\(token)\" }\n" }
    for isCancelled in [true, false] {
      let server = try NATSServer(jetStream: false, configuration: token("one"))
      let (calls, ended, latch) = (Collected<Void>(), Collected<Void>(), Latch())
      let options = NATSConnection.Configuration.quick {
        $0.credentials = .renewed {
          calls.append(())
          if calls.count == 1 { return .token("one") }
          // With and without an answer to the cancellation.
          if isCancelled {
            // A wait that only its cancellation ends.
            let never = AsyncStream<Void>.makeStream()
            for await _ in never.stream {}
            ended.append(())
            withExtendedLifetime(never.continuation) {}
            throw SampleError()
          }
          try await Task { try await latch.wait() }.value
          return .token("two")
        }
      }
      weak var link: AnyObject?
      do {
        let nats = try await NATSConnection(urls: [server.url], configuration: options)
        link = nats.rawLink as AnyObject
        try server.reload(configuration: token("two"))
        await eventually("the closure is called again") { calls.count >= 2 }
        nats.close()
        await eventually("it is closed") { nats.state.value == .closed }
      }
      if isCancelled { await eventually("the closure is cancelled") { ended.count == 1 } }
      await eventually("the link is released") { link == nil }
      latch.open()
    }
  }

  @Test("A closure that returns renewed credentials instead of usable ones is an error")
  func endless() async throws {
    let server = try NATSServer(jetStream: false)
    let calls = Collected<Void>()
    @Sendable func renew() -> NATSConnection.Configuration.Credentials {
      calls.append(())
      return .renewed { () async throws -> NATSConnection.Configuration.Credentials in
        if calls.count > 1000 { throw SampleError() }
        return renew()
      }
    }
    let options = NATSConnection.Configuration.quick { $0.credentials = renew() }
    await #expect {
      _ = try await NATSConnection(urls: [server.url], configuration: options)
    } throws: {
      ($0 as? NATSError)?.code == .invalidOption && "\($0)".contains("renewed")
    }
    #expect(calls.count < 10)
  }
}

@Suite("Secrets in addresses", .timeLimit(.minutes(5)))
struct AddressTests {
  @Test(
    "No user, password or token of an address is shown",
    arguments: [
      ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"),
      ("nats://mail:secret@h:1", "nats://h:1"),
      ("nats://secret@h:1", "nats://h:1"),
      ("secret@h:1", "h:1"),
      ("mail:secret@h", "h"),
      ("nats://mail:sec%40ret@h:1", "nats://h:1"),
      ("nats://mail:sec@ret@h:1", "nats://h:1"),
      ("nats://mail:sec,ret@h:1", "nats://h:1"),
      ("nats://mail:sec/ret@h:1", "nats://h:1"),
      ("nats://mail:sec://ret@h:1", "nats://h:1"),
      (
        "nats://a:secret@h:1,nats://b:secret@h:2, tls://secret@h:3",
        "nats://h:1,nats://h:2, tls://h:3"
      ),
      ("nats://h:1,nats://b:secret@h:2", "nats://h:1,nats://h:2"),
      ("a:secret@h:1,b:secret@h:2", "h:2"),
      ("nats://mail:secret@[::1]:4222", "nats://[::1]:4222"),
      ("", ""), ("@", ""), ("://", "://"), ("nats://", "nats://"),
    ]
  )
  func addresses(_ address: String, _ shown: String) {
    #expect(Address.withoutCredentials(address) == shown)
    let text = "Cannot connect to \"\(address)\" (or \(address)): no"
    #expect(
      Address.withoutCredentials(in: text, known: [address])
        == "Cannot connect to \"\(shown)\" (or \(shown)): no"
    )
  }

  @Test("Words that are not addresses stay")
  func words() {
    for text in ["", "a@b", "Permissions Violation for Publish to \"a.@.b\"", "  x, y  "] {
      #expect(Address.withoutCredentials(in: text) == text)
    }
  }

  @Test("State, errors and reports of a connection show no secret")
  func connection() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: "authorization { user: \"mail\", password: \"secret\" }\n"
    )
    let address = "nats://mail:secret@127.0.0.1:\(server.port)"
    let nats = try await NATSConnection(urls: [address], configuration: .quick())
    await eventually("it is connected") { nats.state.value == .connected(to: server.url) }
    let a = Party("a", over: nats)
    var dumped = ""
    dump(nats, to: &dumped)
    dump(a.bridge, to: &dumped)
    #expect(!dumped.contains("secret"))
    try server.reload(
      configuration: "authorization { user: \"mail\", password: \"other\" }\n"
    )
    await eventually("it is refused") { a.reports.values.count >= 3 }
    for report in a.reports.values { #expect(!"\(report)\(report.fields)".contains("secret")) }
    let port = NATSServer.freePort()
    for list in [
      [address], ["nats://secret@127.0.0.1:\(port)"], ["secret@127.0.0.1:\(port)"],
      ["nats://mail:sec%72et-secret@127.0.0.1:\(port)", "nats://secret@127.0.0.1:\(port)"],
      ["nats://mail:secret@127.0.0.1:\(port),nats://mail:secret@127.0.0.1:\(port)"],
      ["nats://mail:secret@127.0.0.1:port"], ["nats://mail:secret@"], ["xyz://mail:secret@h"],
      ["nats://mail:secret secret@127.0.0.1:\(port)"],
    ] {
      await #expect {
        _ = try await NATSConnection(urls: list, configuration: .quick())
      } throws: { error in
        var dumped = ""
        dump(error, to: &dumped)
        let text = "\(error) \(String(reflecting: error)) \(dumped)"
        return error is NATSError && !text.contains("secret") && !text.contains("sec%72et")
      }
    }
  }

  @Test("Descriptions of options show no secret")
  func options() {
    let all: [NATSConnection.Configuration.Credentials] = [
      .user("mail", password: "secret"), .token("secret"), .renewed { .token("secret") },
    ]
    for credentials in all {
      let options = NATSConnection.Configuration(credentials: credentials)
      var dumped = ""
      dump(options, to: &dumped)
      dump(credentials, to: &dumped)
      #expect(
        !"\(credentials) \(options) \(String(reflecting: options)) \(dumped)".contains("secret")
      )
    }
    #expect("\(all[0])" == "the user mail")
  }
}
