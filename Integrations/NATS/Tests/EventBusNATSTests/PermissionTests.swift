import EventBus
import EventBusNATS
import Foundation
import LaunchLoader
import NATSServer
import Testing

extension EventNames {
  fileprivate static let secret = EventName<Int>("secret")
  fileprivate static let hidden = EventName<Int>("hidden")
}

/// A configuration with a user with all permissions, and one with few.
private func users(publish: [String] = [], subscribe: [String] = []) -> String {
  func list(_ subjects: [String]) -> String {
    "{ deny: [\(subjects.map { "\"\($0)\"" }.joined(separator: ", "))] }"
  }
  return """
    authorization {
      users = [
        { user: "admin", password: "p" }
        { user: "limited", password: "p", permissions: {
          publish: \(list(publish)), subscribe: \(list(subscribe))
        } }
      ]
    }

    """
}

private func party(
  _ node: String,
  _ server: NATSServer,
  user: String = "limited",
  _ change: (inout EventBridge.Configuration) -> Void = { _ in }
) async throws -> Party {
  let options = NATSConnection.Configuration.quick { $0.credentials = .user(user, password: "p") }
  return Party(
    node,
    over: try await NATSConnection(urls: [server.url], configuration: options),
    change
  )
}

/// The error of a task, which must end by itself.
private func code(
  _ body: @escaping @Sendable () async throws(NATSError) -> Void
) async -> NATSError.Code? {
  let thrown = Collected<NATSError.Code?>()
  let task = Task {
    do throws(NATSError) {
      try await body()
      thrown.append(nil)
    } catch {
      thrown.append(error.code)
    }
  }
  await eventually("it ends") { thrown.count == 1 }
  task.cancel()
  return thrown.values.first ?? nil
}

@Suite("Server permissions", .timeLimit(.minutes(5)))
struct PermissionTests {
  @Test("Live events that the server denies are counted and reported, each one")
  func live() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: users(publish: ["events.secret"])
    )
    let a = try await party("a", server)
    a.bridge.carry(.secret, .outgoing)
    for number in 1...3 { a.bus.post(.secret, number) }
    await eventually("they are counted") { a.bridge.counts[.notAuthorized] == 3 }
    await eventually("they are reported") {
      a.reports.values.contains { report in
        report.kind == .notAuthorized && report.event == "secret"
          && report.detail.contains("events.secret")
      }
    }
  }

  @Test("A live event that may not be received is reported, and waitUntilPrepared throws")
  func incoming() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: users(subscribe: ["events.hidden"])
    )
    let a = try await party("a", server)
    a.bridge.carry(.hidden, .incoming)
    let thrown = await code { () async throws(NATSError) in try await a.bridge.waitUntilPrepared() }
    #expect(thrown == .notAuthorized)
    #expect(a.bridge.counts[.notAuthorized] >= 1)
    #expect(a.bridge.counts[.notPrepared] == 0)
    await eventually("it is reported") {
      a.reports.values.contains { $0.kind == .notAuthorized && $0.event == "hidden" }
    }
  }

  @Test("A service that may not receive its events does not become ready, and throws")
  func service() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: users(subscribe: ["events.hidden"])
    )
    let a = try await party("a", server)
    a.bridge.carry(.hidden, .incoming)
    let run = try LoneService(a.bridge)
    await #expect(throws: (any Error).self) { try await run.waitUntilReady() }
    await #expect { try await run.wait() } throws: { "\($0)".contains("events.hidden") }
  }

  @Test(
    "A durable post that the server denies throws, whatever is denied",
    arguments: [
      users(publish: ["events.secret"]),
      users(publish: ["$JS.API.STREAM.INFO.S"]),
      users(publish: ["$JS.API.STREAM.CREATE.S"]),
      users(publish: ["$JS.API.>"]),
      users(subscribe: ["_INBOX.>"]),
    ]
  )
  func durable(_ configuration: String) async throws {
    let server = try NATSServer(configuration: configuration)
    let a = try await party("a", server) { $0.answerTimeout = .seconds(2) }
    a.bridge.carry(.secret, .outgoing, delivery: .durable(stream: "S"))
    let thrown = await code { () async throws(NATSError) in try await a.bridge.post(.secret, 1) }
    #expect(thrown == .notAuthorized)
    #expect(a.bridge.counts[.notAuthorized] > 0)
    await a.bridge.waitUntilFlushed()
  }

  @Test(
    "A durable event that may not be received is reported, and waitUntilPrepared throws",
    arguments: [
      users(subscribe: ["_EVENTBUS.>"]),
      users(publish: ["$JS.API.CONSUMER.>"]),
      users(publish: ["$JS.API.STREAM.>"]),
    ]
  )
  func durableIncoming(_ configuration: String) async throws {
    let server = try NATSServer(configuration: configuration)
    let a = try await party("a", server) { $0.answerTimeout = .seconds(2) }
    a.bridge.carry(.hidden, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let thrown = await code { () async throws(NATSError) in try await a.bridge.waitUntilPrepared() }
    #expect(thrown == .notAuthorized)
    await eventually("it is reported") {
      a.reports.values.contains { $0.kind == .notAuthorized && $0.event == "hidden" }
    }
  }

  @Test("Acknowledgements that the server denies are counted")
  func acknowledgements() async throws {
    let server = try NATSServer(configuration: users(publish: ["$JS.ACK.>"]))
    let a = try await party("a", server)
    let (handled, token) = a.collect(.number)
    a.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let b = try await party("b", server, user: "admin")
    b.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await b.bridge.post(.number, 1)
    await eventually("it is handled") { handled.count > 0 }
    await eventually("the denial is counted") { a.bridge.counts[.notAuthorized] > 0 }
    withExtendedLifetime(token) {}
  }

  @Test("Heartbeats that the server denies are counted, and hold up no event")
  func heartbeats() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: users(publish: ["_EVENTBUS_NODE.>"], subscribe: ["_EVENTBUS_NODE.>"])
    )
    let a = try await party("a", server)
    let b = try await party("b", server, user: "admin")
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    try await a.bridge.waitUntilPrepared()
    await meet(.number, from: a, to: b)
    await eventually("both are counted") {
      Set(a.reports.values.filter { $0.event == "_node" }.map(\.detail)).count >= 2
    }
  }

  @Test("A durable consumer comes back after its inboxes were denied for a while")
  func inboxes() async throws {
    let server = try NATSServer(configuration: users())
    let (a, b) = (try await party("a", server), try await party("b", server, user: "admin"))
    let (handled, token) = a.collect(.hidden)
    a.bridge.carry(.hidden, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    a.bridge.carry(.secret, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.hidden, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    try await a.bridge.post(.secret, 1)
    try await b.bridge.post(.hidden, 1)
    await eventually("it is handled") { handled.values == [1] }
    try server.reload(configuration: users(subscribe: ["_INBOX.>", "_EVENTBUS.>"]))
    await eventually("both are reported") {
      ["hidden", "_inbox"].allSatisfy { event in
        a.reports.values.contains { $0.kind == .notAuthorized && $0.event == event }
      }
    }
    let reported = a.reports.values.count
    await eventually("a further attempt is denied") { a.reports.values.count > reported }
    try server.reload(configuration: users())
    try await b.bridge.post(.hidden, 2)
    await eventually("the next one is handled") { handled.values == [1, 2] }
    await eventually("posts are answered") {
      await code { () async throws(NATSError) in try await a.bridge.post(.secret, 2) } == nil
    }
    withExtendedLifetime(token) {}
  }

  @Test("Permissions that change while there is a connection are noticed, and so is their return")
  func reload() async throws {
    let server = try NATSServer(configuration: users())
    let a = try await party("a", server)
    let b = try await party("b", server, user: "admin")
    b.bridge.carry(.secret)
    b.bridge.carry(.hidden)
    a.bridge.carry(.secret, .outgoing)
    a.bridge.carry(.hidden, .incoming)
    a.bridge.carry(.kept, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    try await a.bridge.post(.kept, 1)
    await meet(.secret, from: a, to: b)
    await meet(.hidden, from: b, to: a)
    #expect(a.bridge.counts[.notAuthorized] == 0)

    let denied = ["events.secret", "events.test.kept"]
    try server.reload(configuration: users(publish: denied, subscribe: ["events.hidden"]))
    await eventually("the subscription is denied") {
      a.reports.values.contains { $0.kind == .notAuthorized && $0.event == "hidden" }
    }
    a.bus.post(.secret, 2)
    await eventually("the event is denied") {
      a.reports.values.contains { $0.kind == .notAuthorized && $0.event == "secret" }
    }
    let thrown = await code { () async throws(NATSError) in try await a.bridge.post(.kept, 2) }
    #expect(thrown == .notAuthorized)

    try server.reload(configuration: users())
    await eventually("the server has read it") {
      await code { () async throws(NATSError) in try await a.bridge.post(.kept, 3) } == nil
    }
    await meet(.secret, from: a, to: b)
    await meet(.hidden, from: b, to: a)
    try await a.bridge.waitUntilPrepared()
  }
}
