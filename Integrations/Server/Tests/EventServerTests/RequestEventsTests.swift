internal import EventBus
internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOPosix
@testable internal import RequestEvents
internal import TestKit
internal import Testing

@Suite("The server that streams its requests", .serialized, .timeLimit(.minutes(1)))
struct RequestEventsTests {
  @Test("Each reader receives the later requests in order, until SIGTERM ends streams and program")
  func streams() async throws {
    let server = try await RunningServer.requestEvents()
    var readers: [EventReader] = []
    for _ in 0..<3 { readers.append(try await server.reader()) }
    for path in ["first", "second", "third"] {
      #expect(try await server.get(path).status == 404)
    }
    server.send(SIGTERM)
    for (index, reader) in readers.enumerated() {
      // A stream that is cut off throws here.
      try await reader.readToEnd()
      let paths = Array(repeating: "events", count: 2 - index) + ["first", "second", "third"]
      let text = paths.map { "data: GET: /\($0)\n\n" }.joined()
      #expect(String(buffer: reader.bytes) == text)
    }
    #expect(await server.exitCode == 0)
  }

  @Test("Readers without a request also end at SIGTERM")
  func idle() async throws {
    let server = try await RunningServer.requestEvents()
    let reader = try await server.reader()
    server.send(SIGTERM)
    try await reader.readToEnd()
    #expect(String(buffer: reader.bytes).isEmpty)
    #expect(await server.exitCode == 0)
  }

  @Test("All readers receive the requests of four clients in one order")
  func order() async throws {
    let server = try await RunningServer.requestEvents()
    var readers: [EventReader] = []
    for _ in 0..<3 { readers.append(try await server.reader()) }
    try await withThrowingTaskGroup { group in
      for client in 0..<4 {
        group.addTask {
          for number in 0..<50 { _ = try await server.get("\(client)/\(number)") }
        }
      }
      try await group.waitForAll()
    }
    server.send(SIGTERM)
    var received: [[Substring]] = []
    for reader in readers {
      try await reader.readToEnd()
      let requests = String(buffer: reader.bytes).split(separator: "\n\n")
      received.append(requests.filter { $0 != "data: GET: /events" })
    }
    #expect(received[0].count == 200)
    #expect(received[1] == received[0] && received[2] == received[0])
    #expect(await server.exitCode == 0)
  }

  @Test("A reader that disconnects is registered no longer, although no request comes")
  func disconnects() async throws {
    let bus = EventBus()
    try await serving(bus) { port in
      let leaving = try await connect(port)
      let staying = try await connect(port)
      await until(bus.snapshot().observations.count == 2)
      try await leaving.close()
      await until(bus.snapshot().observations.count == 1)
      try await staying.close()
      await until(bus.snapshot().observations.isEmpty)
    }
  }

  /// Serves the routes in this process while a closure runs.
  private func serving(
    _ bus: EventBus,
    _ body: (_ port: Int) async throws -> Void
  ) async throws {
    let ports = Inbox<Int>()
    let server = Application(
      router: routes(bus),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in ports.append(channel.localAddress?.port ?? 0) },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    try await withThrowingTaskGroup { group in
      group.addTask { try await server.run() }
      try await body(await ports.first(1)[0])
      group.cancelAll()
    }
  }

  /// Opens a connection that asks for a stream.
  private func connect(_ port: Int) async throws -> any Channel {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port).get()
    let head = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"
    try await channel.writeAndFlush(ByteBuffer(string: head))
    return channel
  }
}
