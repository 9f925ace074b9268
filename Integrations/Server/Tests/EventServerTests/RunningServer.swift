internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import TestKit

/// A server, started as a program, which is killed when this object is released.
final class RunningServer: Sendable {
  struct Answer: Equatable {
    var status: Int
    var body: String
  }

  /// The program, from which only these members are used, on any thread.
  private struct Program: @unchecked Sendable {  // Reason: they lock.
    let process = Process()
    let input = Pipe()
    let output = Pipe()
  }

  private let program = Program()
  private let ended = Inbox<Int32>()

  let port: Int
  /// The output of the program.
  private let lines = Inbox<String>()

  /// Starts the event server and waits until it listens.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - logLevel: The level of its log, which is then a part of ``output()``.
  /// - Throws: The error of a program that cannot be started.
  convenience init(_ arguments: String..., logLevel: String? = nil) async throws {
    let environment = ProcessInfo.processInfo.environment
    try await self.init(
      // That of the environment, for example one built for release, or the one beside the tests.
      environment["EVENT_SERVER"].map { URL(filePath: $0) } ?? Self.program("EventServer"),
      ["--port=0", "--ends-with-parent"] + arguments,
      ["LOG_LEVEL": logLevel ?? environment["LOG_LEVEL"] ?? "critical"],
      readsLog: logLevel != nil
    )
  }

  /// Starts the server that streams its requests, and waits until it listens.
  static func requestEvents() async throws -> RunningServer {
    // Hummingbird logs the port with this level.
    let environment = ["LOG_LEVEL": "info", "HOST": "127.0.0.1", "PORT": "0"]
    return try await RunningServer(program("RequestEvents"), [], environment, readsLog: true)
  }

  /// Starts a program and waits until it listens.
  ///
  /// - Parameters:
  ///   - executable: The program.
  ///   - arguments: Its arguments.
  ///   - environment: The variables that differ from those of the tests.
  ///   - readsLog: Whether the port is in the program's log, which is then not shown.
  /// - Throws: The error of a program that cannot be started.
  private init(
    _ executable: URL,
    _ arguments: [String],
    _ environment: [String: String],
    readsLog: Bool = false
  ) async throws {
    let lines = lines
    let process = program.process
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment.merging(ProcessInfo.processInfo.environment) { own, _ in own }
    process.standardInput = program.input
    process.standardOutput = program.output
    if readsLog { process.standardError = program.output }
    process.terminationHandler = { [ended] in
      ended.append($0.terminationStatus)
      lines.append("ended")
    }
    try process.run()
    Thread.detachNewThread { [program] in
      while case let data = program.output.fileHandleForReading.availableData, !data.isEmpty {
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
          lines.append(String(line))
        }
      }
      lines.append("end of output")
    }
    let text = await lines.wait { $0.contains { $0.contains("listening on ") || $0 == "ended" } }
    port = text.compactMap { Self.port(in: $0) }.first ?? 0
  }

  deinit { if program.process.isRunning { kill(program.process.processIdentifier, SIGKILL) } }

  /// The program of this name beside the tests.
  private static func program(_ name: String) -> URL {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: name)
  }

  /// The port in a line such as `listening on 8080` or `… listening on 127.0.0.1:8080`.
  private static func port(in line: String) -> Int? {
    guard let range = line.firstRange(of: "listening on ") else { return nil }
    return line[range.upperBound...].split(separator: ":").last.flatMap { Int($0) }
  }

  var exitCode: Int32 {
    get async { await ended.first(1)[0] }
  }

  func send(_ signal: Int32) { kill(program.process.processIdentifier, signal) }

  /// Ends the standard input of the program.
  func endInput() throws { try program.input.fileHandleForWriting.close() }

  /// Stops the program with SIGTERM.
  ///
  /// - Returns: Its exit code.
  @discardableResult
  func stop() async throws -> Int32 {
    send(SIGTERM)
    return await exitCode
  }

  /// Waits for a line that the program prints.
  ///
  /// - Returns: The line without its beginning.
  func line(after beginning: String) async -> String? {
    let text = await lines.wait { $0.contains { $0.hasPrefix(beginning) || $0 == "ended" } }
    return text.first { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
  }

  /// Waits until the program has ended, and returns everything that it has printed.
  func output() async -> String {
    await lines.wait { $0.contains("end of output") }.joined(separator: "\n")
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  func get(_ path: String) async throws -> Answer { try await get(address: url(path)) }

  func get(address: String) async throws -> Answer {
    try await answer(HTTPExchange(address))
  }

  @discardableResult
  func post(_ name: String, _ body: String) async throws -> Answer {
    try await answer(HTTPExchange(url("events/\(name)"), method: .POST, body: body))
  }

  private func answer(_ exchange: HTTPExchange) async throws -> Answer {
    Answer(status: exchange.status, body: try await exchange.text())
  }

  /// Opens a stream and waits until the server listens for it.
  func stream(_ query: String = "") async throws -> EventReader {
    let reader = try await reader(query)
    try await reader.read { $0 == ": listening\n\n" }
    return reader
  }

  /// Opens a stream and waits for the head of its response.
  func reader(_ query: String = "") async throws -> EventReader {
    EventReader(try await HTTPExchange(url("events\(query)")))
  }

  /// The value of a metric.
  func metric(_ name: String) async throws -> Double? {
    try await get("metrics").body.split(separator: "\n")
      .first { $0.hasPrefix("\(name) ") }
      .flatMap { Double($0.dropFirst(name.count + 1)) }
  }
}

/// Reads a stream of server-sent events.
final class EventReader {
  struct Event: Equatable {
    var id: Int?
    var name: String
    var data: String
  }

  private let exchange: HTTPExchange?
  /// The text read so far, without the greeting.
  private(set) var bytes = ByteBuffer()
  private(set) var hasEnded = false

  init(_ exchange: HTTPExchange) { self.exchange = exchange }

  /// Creates a reader with the text of another.
  init(bytes: ByteBuffer) {
    exchange = nil
    self.bytes = bytes
    hasEnded = true
  }

  /// Reads until the text read last meets a condition, or the stream ends.
  func read(until isEnough: (String) -> Bool) async throws {
    while let chunk = try await exchange?.next() {
      bytes.writeImmutableBuffer(chunk)
      let count = min(bytes.readableBytes, 400)
      let tail = bytes.getString(at: bytes.writerIndex - count, length: count) ?? ""
      if isEnough(tail) {
        if bytes.readableBytes == 13 { bytes.clear() }
        return
      }
    }
    hasEnded = true
  }

  /// Reads until the stream ends.
  func readToEnd() async throws { try await read { _ in false } }

  var events: [Event] {
    String(buffer: bytes).split(separator: "\n\n").compactMap { block in
      let fields = Dictionary(
        block.split(separator: "\n").compactMap { line -> (String, String)? in
          guard let range = line.firstRange(of: ": ") else { return nil }
          return (String(line[..<range.lowerBound]), String(line[range.upperBound...]))
        }
      ) { $1 }
      guard let name = fields["event"], let data = fields["data"] else { return nil }
      return Event(id: fields["id"].flatMap { Int($0) }, name: name, data: data)
    }
  }
}
