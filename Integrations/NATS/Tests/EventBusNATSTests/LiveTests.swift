import EventBus
import EventBusNATS
import Foundation
import LaunchLoader
import NATSServer
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Live events over a server", .timeLimit(.minutes(5)))
struct LiveTests {
  @Test("Events of each name arrive in order, in both directions")
  func order() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    for party in [a, b] {
      party.bridge.carry(.number)
      party.bridge.carry(.text)
      party.bridge.carry(.plain)
    }
    let (atB, tokenB) = b.collect(.number)
    let (texts, tokenA) = a.collect(.text)
    let (plain, tokenP) = b.collect(.plain)
    await meet(.number, from: a, to: b)
    await a.reached()
    await b.reached()
    for number in 1...5000 { a.bus.post(.number, number) }
    for number in 1...100 { b.bus.post(.text, "\(number)\r\n\"ü") }
    a.bus.post(.plain)
    await eventually("all arrive") {
      atB.values.last == 5000 && texts.count == 100 && plain.count == 1
    }
    #expect(atB.values.filter { $0 > 0 } == Array(1...5000))
    #expect(texts.values.last == "100\r\n\"ü")
    #expect(b.bridge.counts[.gap] == 0)
    withExtendedLifetime((tokenA, tokenB, tokenP)) {}
  }

  @Test("Names with line breaks, spaces and wildcards are carried, and forge nothing")
  func names() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a\r\nPUB x 0", server), try await Party("b *", server))
    let names = ["a b", "x\r\nPUB events.test.number 1\r\n1\r\n", "*", ">", "a.*", "_node.*"].map {
      EventName<Int>($0)
    }
    let forged = b.collect(.number)
    b.bridge.carry(.number)
    var collected: [Collected<Int>] = []
    var tokens: [Token] = [forged.1]
    for name in names {
      a.bridge.carry(name)
      b.bridge.carry(name)
      let (values, token) = b.collect(name)
      collected.append(values)
      tokens.append(token)
    }
    await eventually("the nodes see each other") {
      a.bridge.nodes.count == 1 && b.bridge.nodes.count == 1
    }
    #expect(b.bridge.nodes.map(\.name) == ["a\r\nPUB x 0"])
    await b.reached()
    for (index, name) in names.enumerated() { a.bus.post(name, index) }
    await eventually("each arrives under its name") { collected.allSatisfy { $0.count == 1 } }
    #expect(collected.map(\.values) == (0..<names.count).map { [$0] })
    #expect(forged.0.values.isEmpty)
  }

  @Test("Of a group, one member receives each event")
  func shared() async throws {
    let server = try NATSServer(jetStream: false)
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing)
    var members: [(Party, Collected<Int>, Token)] = []
    for index in 1...3 {
      let member = try await Party("worker-\(index)", server)
      member.bridge.carry(.number, .incoming, delivery: .queueGroup("workers"))
      let (values, token) = member.collect(.number)
      members.append((member, values, token))
      await member.reached()
    }
    for number in 1...300 { a.bus.post(.number, number) }
    await eventually("all are received") { members.reduce(0) { $0 + $1.1.count } >= 300 }
    #expect(members.flatMap { $0.1.values }.sorted() == Array(1...300))
    #expect(members.allSatisfy { $0.1.count > 0 })
    #expect(members.allSatisfy { $0.0.bridge.counts[.gap] == 0 })
  }

  @Test("The state follows a killed server and its return, and events flow again")
  func restart() async throws {
    let server = try NATSServer(jetStream: false)
    let nats = try await NATSConnection(urls: [server.url], configuration: .quick())
    let states = Collected<NATSConnection.State>()
    let stateToken = nats.state.observe { states.append($0.new) }
    let a = Party("a", over: nats)
    let b = try await Party("b", server)
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    await meet(.number, from: a, to: b)
    server.kill()
    await eventually("it is noticed") {
      if case .reconnecting = nats.state.value { true } else { false }
    }
    try server.restart()
    await eventually("it is back") { nats.state.value == .connected(to: server.url) }
    #expect(nats.reconnectCount == 1)
    await meet(.number, from: a, to: b)
    await nats.drain()
    await eventually("it is closed") { nats.state.value == .closed }
    await eventually("observers are called") { states.count >= 3 }
    withExtendedLifetime(stateToken) {}
  }

  @Test("The receiver counts exactly the events that are missing after a killed server")
  func gaps() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    await meet(.number, from: a, to: b)
    let (atB, token) = b.collect(.number)
    let before = a.bridge.counts.sent
    for number in 1...20_000 {
      a.bus.post(.number, number)
      if number == 10_000 {
        server.kill()
        try server.restart()
      }
    }
    await a.bridge.waitUntilFlushed()
    await eventually("events arrive again") {
      a.bus.post(.number, 20_001)
      await a.bridge.waitUntilFlushed()
      return atB.values.last == 20_001
    }
    let values = atB.values
    let posted = 20_000 + values.count { $0 == 20_001 }
    await eventually("the rest is counted") { a.bridge.counts.sent >= before }
    let lost = b.bridge.counts[.gap]
    // Retries of the last one that no handler received are part of the gap.
    #expect(lost + values.count >= posted)
    #expect(zip(values, values.dropFirst()).allSatisfy(<=))
    #expect(lost >= 20_000 - values.count { $0 <= 20_000 })
    withExtendedLifetime(token) {}
  }

  @Test("A stopped server does not block a post, and is noticed")
  func stopped() async throws {
    let server = try NATSServer(jetStream: false)
    // A write to the stopped server takes longer than the test.
    let options = NATSConnection.Configuration.quick { $0.writeDeadline = .seconds(3600) }
    let a = Party("a", over: try await NATSConnection(urls: [server.url], configuration: options))
    a.bridge.carry(.text, .outgoing)
    server.signal(SIGSTOP)
    defer { server.signal(SIGCONT) }
    let text = String(repeating: "x", count: 1000)
    for _ in 0..<50_000 { a.bus.post(.text, text) }
    await eventually("the buffer drops") { a.bridge.counts[.droppedOutgoing] > 0 }
    server.signal(SIGCONT)
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.sent + a.bridge.counts[.droppedOutgoing] >= 50_000)
  }

  @Test("A slow handler loses the oldest events, which are counted, and delays no other event")
  func slowConsumer() async throws {
    let server = try NATSServer(jetStream: false)
    let a = try await Party("a", server)
    let b = try await Party("b", server) { $0.bufferLimit = 100 }
    for party in [a, b] {
      party.bridge.carry(.number)
      party.bridge.carry(.other)
    }
    await meet(.number, from: a, to: b)
    await meet(.other, from: a, to: b)
    let gate = DispatchSemaphore(value: 0)
    let started = Collected<Int>()
    let token = b.bus.observe(.number) { number in
      started.append(number)
      if number == 1 { gate.wait() }
    }
    let (others, otherToken) = b.collect(.other)
    a.bus.post(.number, 1)
    await eventually("the handler runs") { started.count == 1 }
    for number in 2...5000 { a.bus.post(.number, number) }
    await a.bridge.waitUntilFlushed()
    a.bus.post(.other, 1)
    await eventually("the other event is not delayed") { others.count == 1 }
    gate.signal()
    await eventually("the newest is handled") { started.values.last == 5000 }
    let counts = b.bridge.counts
    #expect(counts[.droppedIncoming] > 0)
    #expect(counts[.gap] == counts[.droppedIncoming])
    #expect(started.count + counts[.gap] == 5000)
    withExtendedLifetime((token, otherToken)) {}
  }

  @Test("Messages of other programs are counted, and trap nothing")
  func badInput() async throws {
    let server = try NATSServer(jetStream: false, configuration: "max_payload: 8MB\n")
    let raw = try await NATSConnection(server.url)
    let b = try await Party("b", server)
    b.bridge.carry(.number)
    let (atB, token) = b.collect(.number)
    await b.bridge.waitUntilFlushed()
    func send(_ header: String?, _ payload: [UInt8]) throws {
      try raw.rawLink.send(
        OutgoingMessage(
          subject: "events.test.number",
          header: header.map { Array($0.utf8) },
          payload: payload
        )
      )
    }
    try send(nil, Array("1".utf8))
    try send("nonsense", Array("1".utf8))
    try send("1;x;1;1;2;json", Array("1".utf8))
    try send("1;x;1;1;1;xml", Array("1".utf8))
    try send("1;x;1;1;1;json", Array("\"text\"".utf8))
    try send("1;x;1;1;1;json", [UInt8](repeating: 0xFF, count: 7 << 20))
    try raw.rawLink.send(OutgoingMessage(subject: "_EVENTBUS_NODE.events.x", payload: [1, 2, 3]))
    try raw.rawLink.send(OutgoingMessage(subject: "events.unknown", payload: [1, 2, 3]))
    try send("1;x;1;1;1;json", Array("7".utf8))
    await eventually("the good one arrives") { atB.count == 1 }
    #expect(atB.values == [7])
    let counts = b.bridge.counts
    #expect(counts[.unreadableHeader] == 3)
    #expect(counts[.unknownVersion] == 2)
    #expect(counts[.unreadablePayload] == 2)
    #expect(throws: LinkFailure.tooLarge) {
      try send("1;x;1;2;1;json", [UInt8](repeating: 0, count: 64 << 20))
    }
    withExtendedLifetime(token) {}
  }

  @Test("Nothing is subscribed to that is not carried")
  func subscriptions() async throws {
    let monitor = NATSServer.freePort()
    let server = try NATSServer(
      jetStream: false,
      configuration: "http: \"127.0.0.1:\(monitor)\"\n"
    )
    let a = try await Party("a", server)
    a.bridge.carry(.number, .incoming)
    a.bridge.carry(.text, .outgoing)
    await a.bridge.waitUntilFlushed()
    let url = try #require(URL(string: "http://127.0.0.1:\(monitor)/subsz?subs=1"))
    let answer = String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    #expect(answer.contains("events.test.number"))
    #expect(!answer.contains("events.test.text"))
    #expect(!answer.contains("\"events.>\""))
  }

  @Test("As a service, the bridge sends waiting events before it ends, and announces its end")
  func service() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    a.bridge.carry(.number, .outgoing)
    b.bridge.carry(.number, .incoming)
    let (atB, token) = b.collect(.number)
    await eventually("b hears a") { b.bridge.node("a").isPresent }
    await b.reached()
    let lifetime = b.bridge.node("a").lifetime
    let run = try LoneService(a.bridge)
    try await run.waitUntilReady()
    for number in 1...500 { a.bus.post(.number, number) }
    run.shutdown()
    try await run.wait()
    await eventually("all arrive") { atB.count == 500 }
    await eventually("the goodbye arrives") { lifetime.hasEnded }
    withExtendedLifetime(token) {}
  }

  @Test("50 reconnects leave no descriptor open")
  func reconnects() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    await meet(.number, from: a, to: b)
    let before = descriptors()
    for round in 1...50 {
      server.kill()
      try server.restart()
      await meet(.number, from: a, to: b)
      if round == 1 { #expect(descriptors() <= before + 2) }
    }
    await eventually("the descriptors are those of the start") { descriptors() <= before + 2 }
  }

  private func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}

@Suite("Credentials and encryption", .timeLimit(.minutes(5)))
struct SecurityTests {
  @Test("A wrong password, and none, are refused")
  func password() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: "authorization { user: \"mail\", password: \"secret\" }\n"
    )
    let right = NATSConnection.Configuration.quick {
      $0.credentials = .user("mail", password: "secret")
    }
    let nats = try await NATSConnection(server.url, configuration: right)
    await eventually("it is connected") { nats.state.value == .connected(to: server.url) }
    for credentials in [nil, NATSConnection.Configuration.Credentials.user("mail", password: "x")] {
      await #expect {
        _ = try await NATSConnection(
          server.url,
          configuration: .quick { $0.credentials = credentials }
        )
      } throws: {
        ($0 as? NATSError)?.code == .notAuthorized
      }
    }
  }

  @Test("A token and an NKey are accepted, and another NKey is refused")
  func tokensAndKeys() async throws {
    let key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    let server = try NATSServer(
      jetStream: false,
      configuration: "authorization { users: [{ nkey: \"\(key)\" }] }\n"
    )
    let file = server.folder.appending(path: "seed.nk")
    try seed.write(to: file, atomically: true, encoding: .utf8)
    let nats = try await NATSConnection(
      server.url,
      configuration: .quick { $0.credentials = .nkey(key, seedFile: file.path) }
    )
    await eventually("it is connected") { nats.state.value == .connected(to: server.url) }
    await #expect(throws: NATSError.self) {
      _ = try await NATSConnection(
        server.url,
        configuration: .quick {
          $0.credentials = .nkey("UA\(key.dropFirst(2))", seedFile: file.path)
        }
      )
    }
    let garbage = server.folder.appending(path: "garbage.nk").path
    for text in ["", "no key", "\(seed.dropLast())X"] {
      try text.write(toFile: garbage, atomically: true, encoding: .utf8)
      await #expect {
        let options = NATSConnection.Configuration.quick {
          $0.credentials = .nkey(key, seedFile: garbage)
        }
        _ = try await NATSConnection(server.url, configuration: options)
      } throws: {
        ($0 as? NATSError)?.code == .invalidOption && "\($0)".contains(garbage)
      }
    }
    let other = try NATSServer(
      jetStream: false,
      configuration: "authorization { token: \"t0ken\" }\n"
    )
    _ = try await NATSConnection(
      other.url,
      configuration: .quick { $0.credentials = .token("t0ken") }
    )
    await #expect(throws: NATSError.self) {
      _ = try await NATSConnection(
        other.url,
        configuration: .quick { $0.credentials = .token("x") }
      )
    }
  }

  @Test("No server, no address and a missing file are different errors")
  func unreachable() async throws {
    await #expect {
      _ = try await NATSConnection("nats://127.0.0.1:\(NATSServer.freePort())")
    } throws: {
      ($0 as? NATSError)?.code == .notConnected
    }
    await #expect { _ = try await NATSConnection(urls: []) } throws: {
      ($0 as? NATSError)?.code == .invalidOption
    }
    await #expect {
      _ = try await NATSConnection(
        "tls://127.0.0.1:1",
        configuration: .quick { $0.tls = .init(authorities: "/nowhere/ca.pem") }
      )
    } throws: {
      ($0 as? NATSError)?.code == .invalidOption
    }
  }

  @Test(
    "Encryption needs the right authority, the right name and, where asked for, a client certificate"
  )
  func tls() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "nats-tls-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificates = try Certificates(in: folder)
    let server = try NATSServer(
      jetStream: false,
      configuration: """
        tls {
          cert_file: "\(certificates.path("server.pem"))"
          key_file: "\(certificates.path("server.key"))"
          ca_file: "\(certificates.path("ca.pem"))"
          verify: true
        }

        """
    )
    func options(_ tls: NATSConnection.Configuration.TLS) -> NATSConnection.Configuration {
      .quick { $0.tls = tls }
    }
    let right = NATSConnection.Configuration.TLS(
      authorities: certificates.path("ca.pem"),
      certificate: certificates.path("client.pem"),
      key: certificates.path("client.key")
    )
    let a = Party("a", over: try await NATSConnection(server.url, configuration: options(right)))
    let b = Party("b", over: try await NATSConnection(server.url, configuration: options(right)))
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    await meet(.number, from: a, to: b)

    var wrongAuthority = right
    wrongAuthority.authorities = certificates.path("other-ca.pem")
    var wrongName = right
    wrongName.hostname = "mail.example"
    var noCertificate = right
    (noCertificate.certificate, noCertificate.key) = (nil, nil)
    for tls in [wrongAuthority, wrongName, noCertificate] {
      await #expect(throws: NATSError.self) {
        _ = try await NATSConnection(server.url, configuration: options(tls))
      }
    }
    await #expect(throws: NATSError.self) {
      _ = try await NATSConnection(server.url, configuration: .quick())
    }
  }
}

/// Certificates of a test, made with openssl.
struct Certificates {
  let folder: URL

  init(in folder: URL) throws {
    self.folder = folder
    try "subjectAltName=IP:127.0.0.1\n".write(
      to: folder.appending(path: "san.cnf"),
      atomically: true,
      encoding: .utf8
    )
    for authority in ["ca", "other-ca"] {
      try openssl(
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=\(authority)",
        "-keyout",
        path("\(authority).key"),
        "-out",
        path("\(authority).pem")
      )
    }
    for name in ["server", "client"] {
      try openssl(
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=\(name)",
        "-keyout",
        path("\(name).key"),
        "-out",
        path("\(name).csr")
      )
      try openssl(
        "x509",
        "-req",
        "-in",
        path("\(name).csr"),
        "-CA",
        path("ca.pem"),
        "-CAkey",
        path("ca.key"),
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        path("san.cnf"),
        "-out",
        path("\(name).pem")
      )
    }
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }
}
