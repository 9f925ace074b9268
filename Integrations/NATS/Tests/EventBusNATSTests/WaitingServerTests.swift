import EventBus
import EventBusNATS
import Foundation
import LaunchLoader
import NATSServer
import Testing

@Suite("A server that is not there yet", .timeLimit(.minutes(5)))
struct WaitingServerTests {
  /// A connection that waits for a server on a free port.
  private func waiting(
    _ change: (inout NATSConnection.Configuration) -> Void = { _ in }
  ) async throws -> (nats: NATSConnection, port: Int) {
    let port = NATSServer.freePort()
    let nats = try await NATSConnection(
      "nats://mail:secret@127.0.0.1:\(port)",
      configuration: .quick {
        $0.waitsForServer = true
        change(&$0)
      }
    )
    return (nats, port)
  }

  private func password(_ password: String) -> String {
    "authorization { user: \"mail\", password: \"\(password)\" }\n"
  }

  @Test("A connection waits for its server, and events posted meanwhile arrive")
  func arrives() async throws {
    let (nats, port) = try await waiting()
    let address = "nats://127.0.0.1:\(port)"
    guard case .waiting(for: address, since: _) = nats.state.value else {
      Issue.record("\(nats.state.value)")
      return
    }
    let (a, b) = (Party("a", over: nats), Party("b", over: nats))
    let (live, liveToken) = b.collect(.other)
    let (durable, durableToken) = b.collect(.number)
    b.bridge.carry(.other, .incoming)
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    a.bridge.carry(.other, .outgoing)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    for number in 1...5 {
      a.bus.post(.other, number)
      a.bus.post(.number, number)
    }
    #expect(a.bridge.levels.waitingEvents == 10 && !a.bridge.isPrepared)
    let prepared = Task { try await a.bridge.waitUntilPrepared() }
    let server = try NATSServer(port: port, configuration: password("secret"))
    try await prepared.value
    await a.bridge.waitUntilFlushed()
    await eventually("all arrive") { live.count == 5 && durable.count == 5 }
    #expect(live.values == Array(1...5) && durable.values == Array(1...5))
    await eventually("it is connected") { nats.state.value == .connected(to: server.url) }
    await eventually("it is reported") { a.bridge.counts[.connected] == 1 }
    let counts = a.bridge.counts
    #expect(counts.sent == 10 && counts.stored == 5 && nats.reconnectCount == 0)
    #expect(counts[.droppedOutgoing] == 0 && counts[.givenUp] == 0 && counts[.notPrepared] == 0)
    // One message for many attempts, until there is another reason.
    let waits = a.reports.values.filter { $0.kind == .disconnected }
    #expect(waits.first?.detail.contains(address) == true && waits.first?.event == "_connection")
    #expect(Set(waits.map(\.detail)).count == waits.count)
    #expect(!a.reports.values.contains { "\($0)".contains("secret") })
    withExtendedLifetime((liveToken, durableToken)) {}
  }

  @Test("Events that wait for a server keep to the limits, and those beyond them are counted")
  func limits() async throws {
    let (nats, port) = try await waiting()
    let a = Party("a", over: nats) { ($0.durableLimit, $0.bufferLimit) = (3, 2) }
    a.bridge.carry(.other, .outgoing)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    for number in 1...5 {
      a.bus.post(.other, number)
      a.bus.post(.number, number)
    }
    await #expect { try await a.bridge.post(.number, 6) } throws: {
      ($0 as? NATSError)?.code == .full
    }
    await eventually("they are counted") {
      a.bridge.counts[.refused] == 2 && a.bridge.counts[.droppedOutgoing] == 3
    }
    let server = try NATSServer(port: port, configuration: password("secret"))
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == 3 && a.bridge.counts.sent == 5)
    withExtendedLifetime(server) {}
  }

  @Test("Waits that end before there is a server say what they have waited for")
  func words() async throws {
    let (nats, port) = try await waiting()
    let a = Party("a", over: nats)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    func isTimedOut(_ error: any Error) -> Bool {
      (error as? NATSError)?.code == .timedOut && "\(error)".contains("nats://127.0.0.1:\(port)")
        && !"\(error)".contains("secret")
    }
    await eventually("an attempt to prepare has failed") {
      do {
        try await a.bridge.waitUntilPrepared(within: .milliseconds(5))
        return false
      } catch { return isTimedOut(error) }
    }
    await #expect { try await a.bridge.post(.number, 1, within: .milliseconds(50)) } throws: {
      isTimedOut($0)
    }
    #expect(a.bridge.counts[.notPrepared] == 0)
  }

  @Test(
    "Events that wait when a connection is closed before there was a server are counted and reported"
  )
  func closed() async throws {
    weak var link: AnyObject?
    do {
      let (nats, _) = try await waiting()
      link = nats.rawLink as AnyObject
      let a = Party("a", over: nats)
      a.bridge.carry(.other, .outgoing)
      a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
      for number in 1...3 {
        a.bus.post(.other, number)
        a.bus.post(.number, number)
      }
      let prepared = Task { try await a.bridge.waitUntilPrepared(within: .seconds(3600)) }
      let flushed = Task { await a.bridge.waitUntilFlushed() }
      nats.close()
      await #expect(throws: NATSError.self) { try await prepared.value }
      await flushed.value
      await eventually("they are reported") {
        func count(_ kind: BridgeReport.Kind) -> Int {
          a.reports.values.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
        }
        return count(.givenUp) == 3 && count(.droppedOutgoing) == 3
      }
      await eventually("it is closed") { nats.state.value == .closed }
      await #expect(throws: NATSError.self) { try await a.bridge.post(.number, 4) }
    }
    await eventually("the link is released") { link == nil }
  }

  @Test("A drain before there was a server waits for durable events only")
  func drain() async throws {
    let (nats, port) = try await waiting()
    let (a, b) = (Party("a", over: nats), Party("b", over: nats))
    for party in [a, b] {
      party.bridge.carry(.other, .outgoing)
      party.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
      party.bus.post(.other, 1)
    }
    b.bus.post(.number, 2)
    await a.bridge.drain(within: .seconds(3600))
    #expect(a.bridge.counts[.droppedOutgoing] == 1)
    let draining = Task { await b.bridge.drain(within: .seconds(3600)) }
    let server = try NATSServer(port: port, configuration: password("secret"))
    await draining.value
    #expect(b.bridge.counts.stored == 1 && b.bridge.counts.sent == 2)
    withExtendedLifetime(server) {}
  }

  @Test("A service that waits for a server ends when it is asked to stop, and when it is cancelled")
  func service() async throws {
    for isCancelled in [false, true] {
      let (nats, _) = try await waiting()
      let a = Party("a", over: nats)
      a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
      a.bridge.carry(.other, .incoming)
      let run = try LoneService(a.bridge)
      await eventually("it waits") { a.bridge.counts[.disconnected] == 1 }
      if isCancelled { run.cancel() } else { run.shutdown() }
      try await run.wait()
    }
  }

  @Test("A task that is cancelled while it connects does not wait, with and without the option")
  func cancelled() async throws {
    let server = try NATSServer(jetStream: false)
    // It accepts connections, and says nothing.
    server.signal(SIGSTOP)
    defer { server.signal(SIGCONT) }
    for waitsForServer in [true, false] {
      let connecting = Task {
        try await NATSConnection(
          server.url,
          configuration: .quick {
            $0.waitsForServer = waitsForServer
            $0.connectTimeout = .seconds(3600)
          }
        )
      }
      connecting.cancel()
      await #expect { _ = try await connecting.value } throws: {
        ($0 as? NATSError)?.code == .cancelled
      }
    }
  }

  @Test("A server that refuses the first attempt, and options that cannot be used, are errors")
  func errors() async throws {
    let server = try NATSServer(jetStream: false, configuration: password("other"))
    func code(
      _ url: String,
      _ change: (inout NATSConnection.Configuration) -> Void = { _ in }
    ) async -> NATSError.Code? {
      let options = NATSConnection.Configuration.quick {
        $0.waitsForServer = true
        change(&$0)
      }
      do throws(NATSError) {
        _ = try await NATSConnection(url, configuration: options)
        return nil
      } catch { return error.code }
    }
    #expect(await code("nats://mail:secret@127.0.0.1:\(server.port)") == .notAuthorized)
    #expect(await code("nats://127.0.0.1:port") == .invalidOption)
    let free = "nats://127.0.0.1:\(NATSServer.freePort())"
    #expect(await code(free) { $0.credentials = .file("/nowhere/x.creds") } == .invalidOption)
    #expect(await code(free) == nil)
  }

  @Test("A server that comes, but refuses the credentials, is asked again")
  func refused() async throws {
    let (nats, port) = try await waiting()
    let a = Party("a", over: nats)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    a.bus.post(.number, 1)
    let server = try NATSServer(port: port, configuration: password("other"))
    await eventually("it is refused") { a.bridge.counts[.notAuthorized] >= 2 }
    if case .waiting = nats.state.value {} else { Issue.record("\(nats.state.value)") }
    await #expect { try await a.bridge.waitUntilPrepared(within: .milliseconds(50)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    try server.reload(configuration: password("secret"))
    await a.bridge.waitUntilFlushed()
    #expect(a.bridge.counts.stored == 1 && nats.reconnectCount == 0)
  }

  @Test("The awaited server is announced when the reason changes, and once a minute")
  func rule() {
    let start = ContinuousClock.now
    var wait = FirstWait("refused", at: start)
    #expect(wait.words.hasPrefix("refused"))
    #expect(wait.failed("refused", at: start + .seconds(1)) == false)
    #expect(wait.failed("no such host", at: start + .seconds(2)) == true)
    #expect(wait.words.hasPrefix("no such host"))
    #expect(wait.failed("no such host", at: start + .seconds(61)) == false)
    #expect(wait.failed("no such host", at: start + .seconds(62)) == true)
    #expect(wait.failed("no such host", at: start + .seconds(63)) == false)
  }
}

@Suite("Connections that break", .timeLimit(.minutes(5)))
struct BrokenConnectionTests {
  @Test("A connection that breaks is reported once, and once when it is made again")
  func breaks() async throws {
    let server = try NATSServer(jetStream: false)
    let proxy = try CuttingProxy(to: server.port)
    // No connection breaks but those that are cut.
    let options = NATSConnection.Configuration.quick { $0.pingInterval = .seconds(3600) }
    let a = Party("a", over: try await NATSConnection(proxy.url, configuration: options))
    for count in 1...3 {
      proxy.cut()
      await eventually("it is made again") { a.bridge.counts[.connected] == count }
      #expect(a.bridge.counts[.disconnected] == count)
    }
    let kinds = [BridgeReport.Kind.disconnected, .connected]
    func reports() -> [BridgeReport] { a.reports.values.filter { kinds.contains($0.kind) } }
    await eventually("all are reported") { reports().count == 6 }
    for (index, report) in reports().enumerated() {
      #expect(report.kind == (index.isMultiple(of: 2) ? .disconnected : .connected))
      #expect(report.event == "_connection" && report.count == 1)
    }
    #expect(a.bridge.counts.values["connected"] == 3)
  }

  @Test("A bridge that begins without a connection reports that, and one that is closed does not")
  func begins() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    link.isConnected = false
    let a = Party("a", link: link)
    #expect(a.bridge.counts[.disconnected] == 1)
    link.isConnected = false
    #expect(a.bridge.counts[.disconnected] == 1 && a.bridge.counts[.connected] == 0)
    link.isConnected = true
    link.isConnected = true
    #expect(a.bridge.counts[.disconnected] == 1 && a.bridge.counts[.connected] == 1)
    link.close()
    let b = Party("b", link: link)
    #expect(a.bridge.counts[.disconnected] == 1 && b.bridge.counts[.disconnected] == 0)
  }
}
