import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Testing

@Suite("Options of streams and of the subjects around them", .timeLimit(.minutes(5)))
struct StreamOptionTests {
  private struct Info: Decodable {
    struct Config: Decodable {
      let max_age: Int64
      let max_bytes: Int64
      let discard: String
      let duplicate_window: Int64
    }
    let config: Config
  }

  /// Sends a request to the server.
  ///
  /// - Returns: The payload of the answer.
  private func ask(_ nats: NATSConnection, _ subject: String) async throws -> Data {
    let inbox = "test.\(UInt64.random(in: 0 ... .max))"
    let answers = try nats.rawLink.subscribe(inbox, group: nil, limit: 1) {}
    try nats.rawLink.send(OutgoingMessage(subject: subject, reply: inbox))
    return Data(await answers.next().first?.payload ?? [])
  }

  private func limits(_ nats: NATSConnection, _ stream: String) async throws -> Info.Config {
    let answer = try await ask(nats, "$JS.API.STREAM.INFO.\(stream)")
    return try JSONDecoder().decode(Info.self, from: answer).config
  }

  @Test("A stream that a bridge makes has its limits, and one that exists keeps its own")
  func limits() async throws {
    let server = try NATSServer()
    let nats = try await NATSConnection(server.url)
    let a = Party("a", over: nats)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    let b = Party("b", over: nats) {
      $0.streamLimits = StreamLimits(age: .seconds(60), size: 1_000_000, discards: .newest)
    }
    b.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.other, .outgoing, delivery: .durable(stream: "T"))
    b.bridge.carry(.text, .incoming, delivery: .durable(stream: "U", consumer: "c"))
    try await b.bridge.waitUntilPrepared()
    let unlimited = try await limits(nats, "S")
    #expect(unlimited.max_age == 0 && unlimited.max_bytes == -1 && unlimited.discard == "old")
    #expect(unlimited.duplicate_window == 120_000_000_000)
    for stream in ["T", "U"] {
      let limited = try await limits(nats, stream)
      #expect(limited.max_age == 60_000_000_000 && limited.max_bytes == 1_000_000)
      #expect(limited.discard == "new" && limited.duplicate_window == 60_000_000_000)
    }
  }

  @Test("Events that a full stream refuses wait until there is room, or the oldest give way")
  func full() async throws {
    let server = try NATSServer()
    let nats = try await NATSConnection(server.url)
    for (stream, discards) in [("OLD", StreamLimits.Discarded.oldest), ("NEW", .newest)] {
      let a = Party(stream, over: nats) {
        $0.streamLimits = StreamLimits(size: 10_000, discards: discards)
        ($0.prefix, $0.waitingMark) = (stream, 10)
      }
      a.bridge.carry(.text, .outgoing, delivery: .durable(stream: stream))
      let text = String(repeating: "x", count: 1000)
      for _ in 0..<20 { a.bus.post(.text, text) }
      if discards == .newest {
        await eventually("the stream is full") { a.bridge.counts[.notStored] > 0 }
        #expect(a.bridge.waitingCount > 10)
        await eventually("there is room again and again") {
          _ = try? await ask(nats, "$JS.API.STREAM.PURGE.\(stream)")
          return a.bridge.waitingCount == 0
        }
      }
      await a.bridge.waitUntilFlushed()
      #expect(a.bridge.counts.stored == 20)
    }
  }

  /// Posts durable events, and waits until they are handled, including by a process that starts
  /// later.
  private func exchange(over nats: NATSConnection) async throws {
    let (a, b) = (Party("a", over: nats), Party("b", over: nats))
    let (numbers, token) = a.collect(.number)
    let (kept, keptToken) = b.collect(.kept)
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    a.bridge.carry(.kept, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    for number in 1...5 { try await a.bridge.post(.kept, number) }
    let receipt = try await a.bridge.post(.number, 1)
    #expect(receipt.stream == "S" && receipt.sequence == 6)
    // A search for the last events asks the server about single ones.
    b.bridge.carry(.kept, .incoming, delivery: .durable(stream: "S"))
    try await b.bridge.waitUntilPrepared()
    await eventually("the last three arrive") { kept.values == [3, 4, 5] }
    await eventually("nothing is left") {
      [a, b].allSatisfy { $0.bridge.levels.lag.values.allSatisfy { $0 == 0 } }
    }
    #expect(numbers.values == [1])
    #expect(a.bridge.counts[.notAuthorized] == 0 && a.bridge.counts[.notPrepared] == 0)
    withExtendedLifetime((token, keptToken)) {}
  }

  @Test("Durable events reach the streams of a domain beyond a leaf node")
  func domain() async throws {
    let port = NATSServer.freePort()
    let hub = try NATSServer(
      jetStream: false,
      configuration: """
        server_name: "hub"
        jetstream { domain: "hub", store_dir: "\(FileManager.default.temporaryDirectory.path)/hub-\(port)" }
        leafnodes { listen: "127.0.0.1:\(port)" }

        """
    )
    defer {
      hub.kill()
      let folder = FileManager.default.temporaryDirectory.appending(path: "hub-\(port)")
      try? FileManager.default.removeItem(at: folder)
    }
    let leaf = try NATSServer(
      configuration: """
        server_name: "leaf"
        leafnodes { remotes: [{ url: "nats-leaf://127.0.0.1:\(port)" }] }

        """
    )
    let nats = try await NATSConnection(
      urls: [leaf.url],
      configuration: .quick { $0.domain = "hub" }
    )
    await eventually("the leaf node is connected") {
      (try? await ask(nats, "$JS.hub.API.INFO"))?.isEmpty == false
    }
    try await exchange(over: nats)
    let atHub = try await ask(try await NATSConnection(hub.url), "$JS.API.STREAM.INFO.S")
    let atLeaf = try await ask(try await NATSConnection(leaf.url), "$JS.API.STREAM.INFO.S")
    #expect(String(decoding: atHub, as: UTF8.self).contains("\"messages\":6"))
    #expect(String(decoding: atLeaf, as: UTF8.self).contains("\"code\":404"))
  }

  @Test("A domain that nothing answers for is named at once")
  func unknownDomain() async throws {
    let server = try NATSServer()
    let options = NATSConnection.Configuration.quick { $0.domain = "hub" }
    let a = Party("a", over: try await NATSConnection(server.url, configuration: options))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    await #expect { try await a.bridge.waitUntilPrepared() } throws: {
      ($0 as? NATSError)?.code == .refused && "\($0)".contains("$JS.hub.API")
        && "\($0)".contains("domain")
    }
  }

  @Test("Durable events reach the streams that another account exports under a prefix")
  func apiPrefix() async throws {
    let accounts = """
      accounts {
        STORE {
          jetstream: enabled
          users: [{ user: "store", password: "p" }]
          exports: [
            { service: "$JS.API.>" }, { service: "$JS.ACK.>" }, { service: "events.>" }
            { stream: "_EVENTBUS.>" }
          ]
        }
        MAIL {
          users: [{ user: "mail", password: "p" }]
          imports: [
            { service: { account: "STORE", subject: "$JS.API.>" }, to: "store.api.>" }
            { service: { account: "STORE", subject: "$JS.ACK.>" } }
            { service: { account: "STORE", subject: "events.>" } }
            { stream: { account: "STORE", subject: "_EVENTBUS.>" } }
          ]
        }
      }

      """
    let server = try NATSServer(configuration: accounts)
    let nats = try await NATSConnection(
      urls: [server.url],
      configuration: .quick {
        $0.credentials = .user("mail", password: "p")
        $0.apiPrefix = "store.api"
      }
    )
    try await exchange(over: nats)
  }

  @Test("Answers come to a prefix of inboxes that only its user may listen to")
  func inboxPrefix() async throws {
    let server = try NATSServer(
      configuration: """
        authorization { users: [{ user: "mail", password: "p", permissions: {
          publish: ">", subscribe: { allow: ["answers.mail.>", "_EVENTBUS.>", "_EVENTBUS_NODE.>"] }
        } }] }

        """
    )
    func connect(_ prefix: String) async throws -> NATSConnection {
      let options = NATSConnection.Configuration.quick {
        $0.credentials = .user("mail", password: "p")
        $0.inboxPrefix = prefix
      }
      return try await NATSConnection(server.url, configuration: options)
    }
    try await exchange(over: try await connect("answers.mail"))
    let c = Party("c", over: try await connect("answers.other"))
    c.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    await #expect { try await c.bridge.waitUntilPrepared() } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
  }

  @Test(
    "Domains and prefixes that are not subjects, and both at once, are errors that say so",
    arguments: [
      ("a.b", nil, "_INBOX", "domain"), ("", nil, "_INBOX", "domain"),
      ("hub", "x.y", "_INBOX", "one of them"), (nil, "x.>", "_INBOX", "API"),
      (nil, "x.", "_INBOX", "API"), (nil, nil, "a b", "inboxes"), (nil, nil, "a.*", "inboxes"),
      (nil, nil, "", "inboxes"),
    ] as [(String?, String?, String, String)]
  )
  func problems(_ domain: String?, _ api: String?, _ inbox: String, _ words: String) async throws {
    let server = try NATSServer(jetStream: false)
    let options = NATSConnection.Configuration.quick {
      ($0.domain, $0.apiPrefix, $0.inboxPrefix) = (domain, api, inbox)
    }
    await #expect {
      _ = try await NATSConnection(urls: [server.url], configuration: options)
    } throws: {
      ($0 as? NATSError)?.code == .invalidOption && "\($0)".contains(words)
    }
  }
}
