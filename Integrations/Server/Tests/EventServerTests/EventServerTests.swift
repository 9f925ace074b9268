internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import TestKit
internal import Testing

private let order = #"{"id": 1, "customer": "Ada", "items": [{"product": "tea", "quantity": 2}]}"#

@Suite("The event server, started as a program", .serialized, .timeLimit(.minutes(5)))
struct EventServerTests {
  @Test("A posted event reaches every open stream of its name, with its payload")
  func posts() async throws {
    let server = try await RunningServer()
    let all = try await server.stream()
    let numbers = try await server.stream("?name=counted")
    let answer = try await server.post("order.placed", order)
    #expect(answer.status == 200)
    try await server.post("counted", "7")
    try await all.read { $0.contains("counted") }
    try await numbers.read { $0.contains("counted") }
    #expect(all.events.map(\.name) == ["order.placed", "counted"])
    #expect(all.events.first?.data.contains(#""customer":"Ada""#) == true)
    #expect(numbers.events == [EventReader.Event(id: 2, name: "counted", data: "7")])
    #expect(try await server.stop() == 0)
  }

  @Test("With --inspect, the page of the inspector is served under the address that is printed")
  func inspected() async throws {
    let server = try await RunningServer("--inspect")
    let address = try #require(await server.line(after: "inspector: "))
    let page = try await server.get(address: address)
    #expect(page.status == 200 && page.body.contains("<!doctype html>"))
    let port = try #require(URL(string: address)?.port)
    #expect(try await server.get(address: "http://127.0.0.1:\(port)/").status == 404)
    #expect(try await server.stop() == 0)
  }

  @Test("A wrong request is refused with the place of the mistake, and does not reach the bus")
  func refusals() async throws {
    let server = try await RunningServer("--maximum-body=1000")
    let stream = try await server.stream()
    #expect(try await server.post("nonsense", "1").status == 404)
    #expect(try await server.get("events?name=nonsense").status == 404)
    #expect(try await server.get("nonsense").status == 404)
    let wrong = try await server.post(
      "order.placed",
      #"{"id": 1, "customer": "Ada", "items": [{"product": "tea", "quantity": 2}, {"product": "milk", "quantity": "two"}]}"#
    )
    #expect(wrong.status == 400)
    #expect(wrong.body.contains("$.items[1].quantity"))
    let missing = try await server.post("order.placed", #"{"id": 1, "items": []}"#)
    #expect(missing.status == 400)
    #expect(missing.body.contains("$.customer: is missing"))
    let deep = String(repeating: "[", count: 999)
    for body in ["", "{", "[1, 2", "\u{0}", #"{"id": 1e999}"#, deep] {
      #expect(try await server.post("order.placed", body).status == 400)
    }
    let large = try await server.post("counted", String(repeating: "1", count: 1_001))
    #expect(large.status == 413)
    #expect(try await server.metric(#"eventbus_posts{bus="default",event="order.placed"}"#) == nil)
    try await server.post("counted", "1")
    try await stream.read { $0.contains("counted") }
    #expect(stream.events.map(\.name) == ["counted"])
    #expect(try await server.stop() == 0)
  }

  @Test("A client that disconnects in the middle of a body or a stream affects no other client")
  func disconnects() async throws {
    let server = try await RunningServer()
    let stream = try await server.stream()
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: server.port).get()
    let head = "POST /events/counted HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1"
    try await channel.writeAndFlush(ByteBuffer(string: head))
    try await channel.close()
    let leaving = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: server.port).get()
    try await leaving.writeAndFlush(ByteBuffer(string: "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"))
    try await until(await server.metric("server_streams") == 2)
    try await leaving.close()
    try await until(await server.metric("server_streams") == 1)
    try await server.post("counted", "2")
    try await stream.read { $0.contains("counted") }
    #expect(stream.events.map(\.data) == ["2"])
    #expect(try await server.stop() == 0)
  }

  @Test("SIGTERM ends the streams after their waiting events, and the program with code 0")
  func terminates() async throws {
    let server = try await RunningServer()
    var streams: [EventReader] = []
    for _ in 0..<10 { streams.append(try await server.stream()) }
    try await server.post("counted", "1")
    server.send(SIGTERM)
    // A stream that is cut off, as after the time for an orderly stop, throws here.
    for stream in streams {
      try await stream.readToEnd()
      #expect(stream.events.map(\.data) == ["1"])
    }
    #expect(await server.exitCode == 0)
  }

  @Test("Events that a client without a read misses are counted at once, and a stop closes it")
  func stalledReader() async throws {
    let limit = 3
    let server = try await RunningServer(
      "--maximum-body=1000000",
      "--buffer=\(limit)",
      logLevel: "warning"
    )
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: server.port).get()
    let head = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"
    try await channel.writeAndFlush(ByteBuffer(string: head))
    try await until(await server.metric("server_streams") == 1)
    // More than the buffers of both sockets take.
    let text = String(repeating: "x", count: 900_000)
    for _ in 0..<20 {
      let body = #"{"room": "a", "text": "\#(text)"}"#
      #expect(try await server.post("message.sent", body).status == 200)
    }
    try await until(await server.metric("server_stream_drops") ?? 0 > 0)
    // The client keeps its connection open, and no limit of the application's stop has to end it.
    #expect(try await server.stop() == 0)
    let output = await server.output()
    #expect(!output.contains("cancelled"), "\(output)")
    try? await channel.close()
  }

  @Test("A second signal cancels open requests, and the program ends")
  func impatient() async throws {
    // Otherwise, it would have ended before the second signal.
    let server = try await RunningServer("--drain-delay=6")
    let stream = try await server.stream()
    server.send(SIGTERM)
    // A signal that follows sooner counts as the same.
    try await Task.sleep(for: .seconds(1))  // Reason: the program has its own clock.
    server.send(SIGINT)
    try? await stream.readToEnd()
    let code = await server.exitCode
    #expect(code == 0 || code == 128 + SIGINT)
  }

  @Test("A service that fails ends the program, with another exit code than 0")
  func fails() async throws {
    let server = try await RunningServer("--journal=/dev/full")
    let stream = try await server.stream()
    #expect(try await server.post("order.placed", order).status == 200)
    try await stream.readToEnd()
    #expect(await server.exitCode == 1)
  }

  @Test("A server that cannot listen, and an unknown argument, end the program with an error")
  func doesNotStart() async throws {
    let server = try await RunningServer()
    let second = try await RunningServer("--port=\(server.port)")
    #expect(await second.exitCode == 1)
    let third = try await RunningServer("--nonsense")
    #expect(await third.exitCode == 1)
    #expect(try await server.stop() == 0)
  }

  @Test("The health is unavailable until every service is ready")
  func health() async throws {
    let server = try await RunningServer("--ready-after-input")
    #expect(
      try await server.get("health") == RunningServer.Answer(status: 503, body: "launching\n")
    )
    try server.endInput()
    try await until(await server.get("health").status == 200)
    #expect(try await server.get("health").body == "active\n")
    #expect(try await server.stop() == 0)
  }

  @Test("Launch work gives the services their settings and the journal")
  func launchValues() async throws {
    let journal = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).journal")
    defer { try? FileManager.default.removeItem(at: journal) }
    let server = try await RunningServer("--journal=\(journal.path)")
    try await server.post("order.placed", order)
    #expect(try await server.stop() == 0)
    let text = try String(contentsOf: journal, encoding: .utf8)
    #expect(text.contains(#""customer":"Ada""#))
  }

  @Test(
    "A slow reader loses a bounded, counted number of events, and receives the rest in one write"
  )
  func slowReader() async throws {
    let (count, limit) = (400, 10)
    let server = try await RunningServer("--buffer=\(limit)", "--maximum-body=100000")
    let slow = try await server.stream()
    let quick = try await server.stream("?name=counted")
    let text = String(repeating: "x", count: 90_000)
    for _ in 0..<count {
      try await server.post("message.sent", #"{"room": "a", "text": "\#(text)"}"#)
    }
    try await server.post("counted", "1")
    try await quick.read { $0.contains("counted") }
    #expect(quick.events.count == 1)
    try await slow.read { $0.contains("event: counted") }
    let events = slow.events
    let dropped = events.filter { $0.name == "dropped" }.compactMap { Int($0.data) }.reduce(0, +)
    let received = events.count { $0.name == "message.sent" }
    #expect(dropped > 0)
    #expect(dropped + received == count)
    #expect(try await server.metric("server_stream_drops") == Double(dropped))
    let ids = events.compactMap(\.id)
    #expect(ids == ids.sorted())
    let writes = try #require(try await server.metric("server_stream_writes"))
    // The last events that waited went out together; the quick stream had one write.
    #expect(writes <= Double(received - limit + 3))
    #expect(try await server.stop() == 0)
  }

  /// Opens a separate connection, which sends a text and then reads until the server closes it.
  ///
  /// - Returns: The text that was read.
  private func exchange(_ server: RunningServer, _ text: String) async throws -> String {
    let bytes = Inbox<String>()
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ReadAll(bytes))
        }
      }
      .connect(host: "127.0.0.1", port: server.port).get()
    // The server may close the connection before everything has been sent.
    try? await channel.writeAndFlush(ByteBuffer(string: text))
    try await channel.closeFuture.get()
    return bytes.entries.joined()
  }

  @Test(
    "A port or another number out of its range ends the program with an error that names the range",
    arguments: [
      "--port=99999", "--port=-1", "--port=x", "--buffer=0", "--maximum-body=-1",
      "--request-time=0", "--drain-delay=7",
    ]
  )
  func ranges(_ argument: String) async throws {
    let server = try await RunningServer(argument)
    #expect(await server.exitCode == 1)
  }

  @Test(
    "The reason of a wrong configuration is in the log, whatever its level",
    arguments: ["warning", "error", "critical"],
    [
      ("--port=99999", "--port=99999 is not possible: give a number from 0 to 65535"),
      ("--nonsense", "unknown argument: --nonsense"),
      ("--journal=/no/such/folder/file", "/no/such/folder/file"),
    ]
  )
  func reasons(_ level: String, _ mistake: (argument: String, reason: String)) async throws {
    let server = try await RunningServer(mistake.argument, logLevel: level)
    #expect(await server.exitCode == 1)
    let output = await server.output()
    #expect(output.contains(mistake.reason), "\(output)")
  }

  @Test("A level that the log does not have ends the program with an error that names all levels")
  func unknownLevel() async throws {
    let server = try await RunningServer(logLevel: "loud")
    #expect(await server.exitCode == 1)
    let output = await server.output()
    #expect(
      output.contains("LOG_LEVEL=loud is not possible: give one of trace, debug"),
      "\(output)"
    )
    let capitals = try await RunningServer(logLevel: "ERROR")
    #expect(try await capitals.stop() == 0)
  }

  @Test(
    "An incomplete request ends with its connection, and does not delay the stop",
    arguments: [
      ("POST /events/counted HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1", "HTTP/1.1 408"),
      ("GET /health HTTP/1.1\r\nHost:", ""), ("", ""),
    ]
  )
  func halfRequests(_ text: String, _ answer: String) async throws {
    let server = try await RunningServer("--request-time=1")
    // The clients wait for the end of their connections: only the time for a request ends them.
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await self.exchange(server, text) } }
      for try await received in group { #expect(received.hasPrefix(answer)) }
    }
    #expect(try await server.stop() == 0)
  }

  @Test(
    "A stop closes the connections of unfinished requests, whatever the time for a request",
    arguments: [
      "", "GET /hea", "GET /health HTTP/1.1\r\nHost:", "GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /events/counted HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1",
      "POST /events/counted HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n1",
      "POST /nonsense HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1",
      "GET /events HTTP/1.1\r\nHost: x\r\n\r\nPOST /events/counted HTTP/1.1\r\nHost: x\r\n"
        + "Content-Length: 100\r\n\r\n1",
    ]
  )
  func unfinished(_ text: String) async throws {
    let server = try await RunningServer("--request-time=3600", logLevel: "warning")
    let clients = try await withThrowingTaskGroup(of: (any Channel).self) { group in
      for _ in 0..<100 {
        group.addTask {
          let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: server.port).get()
          try await channel.writeAndFlush(ByteBuffer(string: text))
          return channel
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // A request on a later connection: by its answer, the earlier connections were accepted.
    #expect(try await server.get("health").status == 200)
    #expect(try await server.stop() == 0)
    let output = await server.output()
    #expect(!output.contains("cancelled"), "\(output)")
    for client in clients { try? await client.close() }
  }

  @Test("A request that takes less than its time, and one after another on a connection, succeed")
  func slowButInTime() async throws {
    let server = try await RunningServer("--request-time=2")
    let received = try await exchange(
      server,
      "GET /health HTTP/1.1\r\nHost: x\r\n\r\nPOST /events/counted HTTP/1.1\r\nHost: x\r\n"
        + "Content-Length: 1\r\nConnection: close\r\n\r\n1"
    )
    #expect(received.split(separator: "HTTP/1.1 200 OK").count == 2)
    #expect(try await server.stop() == 0)
  }

  @Test("After a body that is too large, a client that sends before it reads gets 413, and the end")
  func tooLarge() async throws {
    let server = try await RunningServer("--maximum-body=1000")
    let received = try await exchange(
      server,
      "POST /events/counted HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n"
        + String(repeating: "1", count: 400_000)
    )
    #expect(received.hasPrefix("HTTP/1.1 413"))
    #expect(received.lowercased().contains("connection: close"))
    #expect(try await server.get("health").status == 200)
    #expect(try await server.stop() == 0)
  }

  @Test("HEAD /health has the status of GET and no body")
  func headOfHealth() async throws {
    let server = try await RunningServer()
    let received = try await exchange(
      server,
      "HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    #expect(received.hasPrefix("HTTP/1.1 200"))
    #expect(received.hasSuffix("\r\n\r\n"))
    #expect(try await server.stop() == 0)
  }

  @Test("Every line of the metrics has the form that Prometheus reads, and each name one type")
  func metrics() async throws {
    let server = try await RunningServer()
    try await server.post("counted", "1")
    try await server.post("order.placed", order)
    let text = try await server.get("metrics").body
    let name = #"[a-zA-Z_:][a-zA-Z0-9_:]*"#
    let label = #"[a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\\\|\\"|\\n)*""#
    let labels = #"\{\#(label)(,\#(label))*\}"#
    let sample = try Regex("\(name)(\(labels))? [-+0-9.eEInfNa]+")
    let type = try Regex("# TYPE (\(name)) (counter|gauge|summary)")
    var types: [String] = []
    for line in text.split(separator: "\n") {
      if let match = try type.wholeMatch(in: line) {
        types.append(String(match[1].substring ?? ""))
        continue
      }
      #expect(try sample.wholeMatch(in: line) != nil, "\(line)")
      #expect(types.last.map { line.hasPrefix($0) } == true, "\(line)")
    }
    #expect(Set(types).count == types.count)
    #expect(text.contains(#"eventbus_posts{bus="default",event="order.placed"} 1"#))
    #expect(text.contains("_seconds_count"))
    #expect(try await server.stop() == 0)
  }

  @Test("With a delay, the server still answers after SIGTERM, and its health is unavailable")
  func drainDelay() async throws {
    // As long as a supervisor may wait: the requests are much sooner, even on a busy machine.
    let server = try await RunningServer("--drain-delay=6")
    #expect(try await server.get("health").status == 200)
    server.send(SIGTERM)
    let unavailable = RunningServer.Answer(status: 503, body: "stopping\n")
    try await until(await server.get("health") == unavailable)
    #expect(try await server.post("counted", "1").status == 200)
    #expect(await server.exitCode == 0)
  }
}

/// Keeps the text that a connection receives.
private final class ReadAll: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let texts: Inbox<String>

  init(_ texts: Inbox<String>) { self.texts = texts }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    texts.append(String(buffer: unwrapInboundIn(data)))
  }
}
