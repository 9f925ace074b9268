import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Testing

@Suite("Memory and descriptors", .serialized, .timeLimit(.minutes(10)))
struct ResourceTests {
  @Test("1,000 reconnects leave neither descriptors nor memory, and events flow")
  func reconnects() async throws {
    let server = try NATSServer()
    let proxy = try CuttingProxy(to: server.port)
    let a = try await Party("a", server)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    // A separate process, whose memory no other test uses.
    let node = try NodeProcess(proxy.url, "node", "reconnect", "S", "c")
    await eventually("it is ready") { node.lines.contains("ready") }
    var early: (descriptors: Int, kilobytes: Int) = (0, 0)
    for round in 1...1000 {
      let before = node.numbers("reconnected").last ?? 0
      proxy.cut()
      await eventually("it connects again") { node.numbers("reconnected").last ?? 0 > before }
      if round.isMultiple(of: 100) {
        try await a.bridge.post(.number, round)
        await eventually("it is handled") { node.numbers("handled").contains(round) }
      }
      if round == 200 { early = try resources(node) }
    }
    #expect(node.numbers("reconnected").last ?? 0 >= 1000)
    var late = try resources(node)
    await eventually("the descriptors are those of the start") {
      late = (try? resources(node)) ?? late
      return late.descriptors <= early.descriptors + 2
    }
    // 800 reconnections: less than 5 kB each, which is the variation of the allocator itself.
    #expect(late.kilobytes - early.kilobytes < 4000, "\(early) \(late)")
  }

  private func resources(_ node: NodeProcess) throws -> (descriptors: Int, kilobytes: Int) {
    let folder = "/proc/\(node.processIdentifier)"
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count
    let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let number = line.flatMap { Int($0.filter(\.isNumber)) }
    return (descriptors, try #require(number))
  }

  @Test("64 MB arrive in one event, and as an unreadable one they are counted and dropped")
  func large() async throws {
    let server = try NATSServer(
      jetStream: false,
      configuration: "max_payload: 64MB\nmax_pending: 256MB\n"
    )
    let raw = try await NATSConnection(server.url)
    // Not the short times of other tests, in which so much cannot be written.
    let (a, b) = (
      Party("a", over: try await NATSConnection(server.url)),
      Party("b", over: try await NATSConnection(server.url))
    )
    let bytes = EventName<[UInt8]>("test.bytes")
    for party in [a, b] {
      party.bridge.carry(bytes, codec: .bytes)
      party.bridge.carry(.number)
    }
    let (atB, token) = b.collect(bytes)
    let (numbers, other) = b.collect(.number)
    await meet(.number, from: a, to: b)
    // The header is part of the size.
    let payload = [UInt8](repeating: 7, count: (64 << 20) - 4096)
    a.bus.post(bytes, payload)
    await eventually("it arrives") { atB.count == 1 }
    let isSame = atB.values.first == payload
    #expect(isSame, "\(a.reports.values) \(b.reports.values) \(a.bridge.counts) \(b.bridge.counts)")
    for header in ["1;x;1;1;1;json", "nonsense"] {
      try raw.rawLink.send(
        OutgoingMessage(
          subject: "events.test.number",
          header: Array(header.utf8),
          payload: payload
        )
      )
    }
    await eventually("they are counted") {
      b.bridge.counts[.unreadablePayload] == 1 && b.bridge.counts[.unreadableHeader] == 1
    }
    a.bus.post(bytes, [UInt8](repeating: 7, count: (64 << 20) + 1))
    a.bus.post(.number, 5)
    await eventually("a later event arrives") { numbers.values.contains(5) }
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts[.tooLarge] == 1 && atB.count == 1)
    withExtendedLifetime((token, other)) {}
  }
}
