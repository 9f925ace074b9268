import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Testing

@Suite("A cluster of three servers", .serialized, .timeLimit(.minutes(10)))
struct ClusterTests {
  @Test(
    "A cluster of three loses no acknowledged event when the leader of the stream is killed under load"
  )
  func leaderKilled() async throws {
    let cluster = try NATSCluster()
    let settings: (inout EventBridge.Configuration) -> Void = {
      $0.replicas = 3
      $0.answerTimeout = .seconds(1)
      $0.handlingTimeout = .seconds(2)
    }
    let a = try await Party("a", cluster.urls, settings)
    let b = try await Party("b", cluster.urls, settings)
    let (handled, token) = b.collect(.number)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    try await a.bridge.post(.number, 0)
    await eventually("the first one is handled") { handled.count > 0 }

    let acknowledged = Collected<Int>()
    let poster = Task {
      for number in 1...3000 {
        try await a.bridge.post(.number, number)
        acknowledged.append(number)
      }
    }
    await eventually("events flow") { acknowledged.count > 200 }
    let leader = try await streamLeader(a, cluster)
    cluster.servers[leader].kill()
    await eventually("the rest is acknowledged") {
      acknowledged.count == 3000
    }
    try await poster.value
    await eventually("all are handled") { Set(handled.values).count == 3001 }
    try cluster.servers[leader].restart()
    withExtendedLifetime(token) {}
  }

  /// The index of the server that leads the stream.
  private func streamLeader(_ party: Party, _ cluster: NATSCluster) async throws -> Int {
    let link = try await NATSConnection(urls: cluster.urls)
    let answers = try link.rawLink.subscribe("test.answers", group: nil, limit: 10) {}
    try link.rawLink.send(
      OutgoingMessage(subject: "$JS.API.STREAM.INFO.ORDERS", reply: "test.answers")
    )
    var text = ""
    await eventually("the answer comes") {
      text += answers.take(1).messages.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
      return !text.isEmpty
    }
    let name = try #require(text.firstRange(of: "\"leader\":\"server-"))
    return try #require(Int(String(text[name.upperBound])))
  }

  @Test("A burst right after a replicated stream was made is stored, and reports nothing")
  func firstBurst() async throws {
    let cluster = try NATSCluster()
    // Each server has posting clients, as only one of them leads the stream.
    for (index, server) in cluster.servers.enumerated() {
      let a = try await Party("a\(index)", server) {
        $0.replicas = 3
        $0.answerTimeout = .seconds(10)
      }
      a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S\(index)"))
      for number in 1...1500 { a.bus.post(.number, number) }
      await a.bridge.waitUntilFlushed()
      #expect(a.bridge.counts.stored == 1500)
      #expect(a.bridge.counts[.notStored] == 0 && a.bridge.counts[.notPrepared] == 0)
      #expect(a.reports.values.map(\.description) == [])
      // One stream has the subject.
      try await delete("S\(index)", server)
    }
  }

  private func delete(_ stream: String, _ server: NATSServer) async throws {
    let raw = try await NATSConnection(server.url)
    let answers = try raw.rawLink.subscribe("test.deleted", group: nil, limit: 1) {}
    try raw.rawLink.send(
      OutgoingMessage(subject: "$JS.API.STREAM.DELETE.\(stream)", reply: "test.deleted")
    )
    await eventually("it is deleted") { !answers.take(1).messages.isEmpty }
  }

  /// Servers before 2.10 lose acknowledged events under these faults.
  @Test(
    "No acknowledged event is lost when servers are killed, stopped and all started again under load",
    .enabled(if: !NATSServer.version.lexicographicallyPrecedes([2, 10])),
    arguments: [1, 2] as [UInt64]
  )
  func faults(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let cluster = try NATSCluster()
    let settings: (inout EventBridge.Configuration) -> Void = {
      $0.replicas = 3
      $0.answerTimeout = .seconds(1)
      $0.handlingTimeout = .seconds(2)
    }
    let a = try await Party("a", cluster.urls, settings)
    let b = try await Party("b", cluster.urls, settings)
    let (handled, token) = b.collect(.number)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "ORDERS"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "ORDERS", consumer: "c"))
    try await b.bridge.waitUntilPrepared()
    let acknowledged = Collected<Int>()
    let posters = (0..<8).map { lane in
      Task {
        var number = lane
        while !Task.isCancelled {
          number += 8
          do throws(NATSError) {
            try await a.bridge.post(.number, number)
            acknowledged.append(number)
          } catch {
            continue
          }
        }
      }
    }
    // The servers that are left are a majority: events flow with and without the third.
    func flow(_ count: Int) async {
      let before = acknowledged.count
      await eventually("\(count) events are acknowledged, seed \(seed)") {
        acknowledged.count >= before + count
      }
    }
    for _ in 0..<6 {
      await flow(100)
      let server = cluster.servers[Int.random(in: 0..<3, using: &generator)]
      if generator.happens(60) {
        server.kill()
        await flow(Int.random(in: 0...150, using: &generator))
        try server.restart()
      } else {
        server.signal(SIGSTOP)
        await flow(Int.random(in: 1...300, using: &generator))
        server.signal(SIGCONT)
      }
    }
    for server in cluster.servers { server.kill() }
    for server in cluster.servers { try server.launch() }
    for server in cluster.servers { try server.waitUntilReady() }
    await flow(100)
    for poster in posters { poster.cancel() }
    for poster in posters { await poster.value }
    await eventually("every acknowledged event is handled") {
      Set(acknowledged.values).isSubset(of: handled.values)
    }
    withExtendedLifetime(token) {}
  }
}
