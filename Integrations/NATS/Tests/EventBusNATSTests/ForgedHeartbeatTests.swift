import EventBus
import EventBusNATS
import NATSServer
import Testing

private func heartbeat(
  _ node: String,
  _ incarnation: UInt64,
  _ kind: String,
  interval: Int = 100
) -> OutgoingMessage {
  let header = WireHeader(
    node: node,
    incarnation: incarnation,
    sequence: 0,
    version: interval,
    contentType: kind
  )
  return OutgoingMessage(subject: Subject.node(node, prefix: "events"), header: header.bytes)
}

/// The joins and leaves that a party observes.
private func changes(_ party: Party) -> (Collected<String>, Token) {
  let seen = Collected<String>()
  let tokens = TokenBag()
  party.bus.observe(.nodeDidJoin) { seen.append("+\($0.name)") }.store(in: tokens)
  party.bus.observe(.nodeDidLeave) { seen.append("-\($0.name)") }.store(in: tokens)
  return (seen, Token { tokens.cancelAll() })
}

/// Waits until a party has read a number of heartbeats of each process whose node is called "same".
private func hear(
  _ count: Int,
  of processes: Int,
  _ server: NATSServer,
  _ party: Party
) async throws {
  let raw = try await NATSConnection(server.url)
  let beats = try raw.rawLink.subscribe(Subject.nodes(prefix: "events"), group: nil, limit: 100) {}
  try await beats.confirm(within: .seconds(60))
  var heard: [UInt64: Int] = [:]
  await eventually("heartbeats are heard") {
    for header in beats.take(100).messages.compactMap({ $0.header.flatMap { WireHeader($0) } })
    where header.node == "same" {
      heard[header.incarnation, default: 0] += 1
    }
    return heard.values.count { $0 >= count } >= processes
  }
  // What the server sends later is read after them; this one is not a heartbeat, and counted.
  try raw.rawLink.send(OutgoingMessage(subject: Subject.node("last", prefix: "events")))
  await eventually("the party has read them") { party.bridge.counts[.unreadableHeader] > 0 }
}

@Suite("Forged messages and shared names over a server", .timeLimit(.minutes(5)))
struct ForgedHeartbeatTests {
  @Test("After a forged sequence, a sender's live events arrive again")
  func forgedSequence() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let raw = try await NATSConnection(server.url)
    let headers = try raw.rawLink.subscribe("events.test.number", group: nil, limit: 100) {}
    try await headers.confirm(within: .seconds(10))
    a.bridge.carry(.number, .outgoing)
    b.bridge.carry(.number, .incoming)
    let (values, token) = b.collect(.number)
    try await b.bridge.waitUntilPrepared()
    a.bus.post(.number, 1)
    await eventually("it arrives") { values.values == [1] }
    var header = try #require(await headers.next().first?.header.flatMap { WireHeader($0) })
    header.sequence += SenderLedger.longestGap
    let forged = OutgoingMessage(
      subject: "events.test.number",
      header: header.bytes,
      payload: Array("-1".utf8)
    )
    try raw.rawLink.send(forged)
    await eventually("the forged one arrives") { values.values == [1, -1] }
    for number in 2...30 { a.bus.post(.number, number) }
    await eventually("the sender is heard again") { values.values.last == 30 }
    #expect(values.values == [1, -1] + Array(17...30))
    #expect(b.bridge.counts[.past] == 15)
    withExtendedLifetime(token) {}
  }

  @Test("A node whose goodbye was forged is back after three heartbeats, without a restart")
  func forgedGoodbye() async throws {
    let server = try NATSServer(jetStream: false)
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let raw = try await NATSConnection(server.url)
    let heartbeats = try raw.rawLink.subscribe("_EVENTBUS_NODE.>", group: nil, limit: 100) {}
    let (seen, token) = changes(b)
    await eventually("b hears a") { b.bridge.node("a").isPresent }
    var known: WireHeader?
    await eventually("its incarnation is known") {
      known = heartbeats.take(100).messages.compactMap { $0.header.flatMap { WireHeader($0) } }
        .first { $0.node == "a" }
      return known != nil
    }
    let incarnation = try #require(known?.incarnation)
    let lifetime = b.bridge.node("a").lifetime
    try raw.rawLink.send(heartbeat("a", incarnation, "bye"))
    await eventually("it is believed") { lifetime.hasEnded }
    await eventually("the node is back") { b.bridge.node("a").isPresent }
    #expect(seen.values.suffix(2) == ["-a", "+a"])
    withExtendedLifetime((a, token)) {}
  }

  @Test("Nodes beyond the size of the table are counted and reported, and those in it stay")
  func fullTable() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let (a, b) = (Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server)))
    await eventually("b hears a") { b.bridge.node("a").isPresent }
    for index in 1...10_050 {
      try link.send(heartbeat("forged-\(index)", UInt64(index), "beat", interval: 3_600_000))
      // The subscription of the heartbeats is also bounded.
      if index.isMultiple(of: 1000) {
        await eventually("they are read") { b.bridge.nodes.count >= min(9000, index / 2) }
      }
    }
    try link.send(heartbeat("late", 1, "hello"))
    await eventually("it is reported") {
      b.reports.values.contains { $0.kind == .nodeIgnored && $0.detail.contains("full") }
    }
    #expect(b.bridge.counts[.nodeIgnored] > 0)
    #expect(b.bridge.node("a").isPresent && !b.bridge.node("late").isPresent)
    withExtendedLifetime(a) {}
  }

  @Test("Three processes of one name are reported once, and join and leave no more")
  func oneName() async throws {
    let server = try NATSServer(jetStream: false)
    let watcher = try await Party("watcher", server)
    let (seen, token) = changes(watcher)
    let parties = [
      try await Party("same", server), try await Party("same", server),
      try await Party("same", server),
    ]
    await eventually("the watcher reports it") { watcher.bridge.counts[.nodeClash] == 1 }
    await eventually("they also report it") {
      parties.allSatisfy { $0.bridge.counts[.nodeClash] == 1 }
    }
    let before = seen.count
    try await hear(30, of: 3, server, watcher)
    #expect(seen.count == before && before <= 6)
    #expect(watcher.bridge.counts[.nodeClash] == 1)
    #expect(watcher.bridge.nodes.map(\.name) == ["same"])
    #expect(watcher.reports.values.contains { $0.kind == .nodeClash && $0.node == "same" })
    withExtendedLifetime((parties, token)) {}
  }

  @Test("When the newer of two processes of one name is killed, the older one stays visible")
  func newerDies() async throws {
    let server = try NATSServer(jetStream: false)
    let watcher = try await Party("watcher", server)
    let older = try await Party("same", server)
    let (seen, token) = changes(watcher)
    await eventually("it is there") { watcher.bridge.node("same").isPresent }
    let newer = try NodeProcess(server.url, "same", "present")
    await eventually("the clash is known") { watcher.bridge.counts[.nodeClash] == 1 }
    newer.kill()
    let before = seen.count
    // More than three, after which a silent process is gone.
    try await hear(10, of: 1, server, watcher)
    #expect(seen.count == before && watcher.bridge.nodes.map(\.name) == ["same"])
    withExtendedLifetime((older, token)) {}
  }
}
