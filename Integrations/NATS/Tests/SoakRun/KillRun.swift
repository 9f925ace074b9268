internal import Foundation
internal import EventBus
internal import EventBusNATS
internal import NATSServer
private import _EventBusLocks

/// Kills a server and the process of a consumer at random moments, under load, and looks for lost events.
public struct KillRun: Sendable {
  /// The result of a run.
  public struct Result: Sendable {
    /// How many events were acknowledged.
    public var acknowledged = 0
    /// How many calls of handlers there were.
    public var handled = 0
    /// The acknowledged events that no handler was called for.
    public var lost: [Int] = []
    /// How often the server was killed.
    public var serverKills = 0
    /// How often the consumer was killed.
    public var consumerKills = 0
  }

  private let seed: UInt64
  private let kills: Int

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - seed: The seed of the choices and pauses.
  ///   - kills: How many kills.
  public init(seed: UInt64, kills: Int) { (self.seed, self.kills) = (seed, kills) }

  /// Does the kills.
  ///
  /// - Parameter progress: Called after each kill; returns whether to go on.
  /// - Returns: The result.
  /// - Throws: An error if the server or the consumer does not start.
  public func run(_ progress: (Int) -> Bool) async throws -> Result {
    var generator = Generator(state: seed)
    let server = try NATSServer()
    let name = EventName<Int>("soak.number")
    let (bus, acknowledged) = (EventBus(), Log())
    var configuration = EventBridge.Configuration()
    configuration.answerTimeout = .milliseconds(400)
    configuration.heartbeat = .milliseconds(200)
    var options = NATSConnection.Configuration()
    options.reconnectPause = .milliseconds(20)
    let bridge = EventBridge(
      bus,
      over: try await NATSConnection(urls: [server.url], configuration: options),
      node: "poster",
      configuration: configuration
    )
    bridge.carry(name, .outgoing, delivery: .durable(stream: "SOAK"))
    let handled = Log()
    let poster = Task {
      var number = 0
      while !Task.isCancelled {
        // A consumer that keeps dying is slower than the posting process, and must catch up in the
        // end.
        await until(handled.highest + Self.lead >= number)
        number += 1
        do throws(NATSError) {
          try await bridge.post(name, number)
          acknowledged.append(number)
        } catch {
          continue
        }
      }
    }

    var result = Result()
    var consumer = try Consumer(server.url, handled)
    for kill in 1...kills {
      // Between two kills, some new events pass, so that both are in the middle of work.
      let before = handled.highest
      let goal = Int.random(in: 1...60, using: &generator)
      await until(handled.highest >= before + goal)
      if Bool.random(using: &generator) {
        server.kill()
        try server.restart()
        result.serverKills += 1
      } else {
        await consumer.kill()
        consumer = try Consumer(server.url, handled)
        result.consumerKills += 1
      }
      if !progress(kill) { break }
    }
    poster.cancel()
    await poster.value
    await bridge.waitUntilFlushed()
    // Nothing comes after everything that the server has stored was delivered and acknowledged.
    let raw = try await NATSConnection(server.url)
    try await until(await isFinished(raw))
    // The process has written its lines before its answers, and all of them are read after its end.
    await consumer.kill()
    let posted = Set(acknowledged.numbers)
    result.acknowledged = posted.count
    result.handled = handled.count
    result.lost = posted.subtracting(handled.numbers).sorted()
    return result
  }

  /// Whether the server waits for no answer and has nothing to deliver.
  private func isFinished(_ nats: NATSConnection) async throws -> Bool {
    let inbox = "soak.info.\(UInt64.random(in: 0 ... .max))"
    let answers = try nats.rawLink.subscribe(inbox, group: nil, limit: 1) {}
    try nats.rawLink.send(
      OutgoingMessage(subject: "$JS.API.CONSUMER.INFO.SOAK.c-soak=2Enumber", reply: inbox)
    )
    var text = ""
    func answer() -> String {
      text += answers.take(1).messages.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
      return text
    }
    await until(!answer().isEmpty)
    return text.contains("\"num_ack_pending\":0,") && text.contains(/"num_pending":0[,}]/)
  }

  /// How many events the posting process may be ahead of the consumer.
  private static let lead = 2000
}

/// Waits until a condition holds of which there is no notification, or until the task is cancelled.
private func until(_ condition: @autoclosure () async throws -> Bool) async rethrows {
  while try await !condition() {
    do { try await Task.sleep(for: .milliseconds(1)) } catch { return }  // Reason: asks again.
  }
}

/// Numbers, from any thread.
private final class Log: Sendable {
  private struct State {
    var numbers: [Int] = []
    var highest = 0
  }

  private let state = Locked(State())
  var numbers: [Int] { state.withLock(\.numbers) }
  var count: Int { state.withLock(\.numbers.count) }
  var highest: Int { state.withLock(\.highest) }
  func append(_ number: Int) {
    state.withLock { state in
      state.numbers.append(number)
      state.highest = max(state.highest, number)
    }
  }
}

/// The process of a consumer.
private final class Consumer: Sendable {
  private struct Program: @unchecked Sendable {  // Reason: its members lock.
    let process = Process()
    let input = Pipe()
    let output = Pipe()
  }

  private let program = Program()
  private let ended = Log()

  init(_ url: String, _ handled: Log) throws {
    let own = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = program.process
    process.executableURL = own.deletingLastPathComponent().appending(path: "NATSNode")
    process.arguments = [url, "consumer", "consume", "SOAK", "c"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["NATS_NODE_EVENT": "soak.number"]) { $1 }
    process.standardInput = program.input
    process.standardOutput = program.output
    try process.run()
    Thread.detachNewThread { [program, ended] in
      var rest = Data()
      while case let data = program.output.fileHandleForReading.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest.removeSubrange(...end)
          if line.hasPrefix("handled "), let number = Int(line.dropFirst(8)) {
            handled.append(number)
          }
        }
      }
      ended.append(0)
    }
  }

  deinit { end() }

  /// Ends the process, and waits until its output has been read.
  func kill() async {
    end()
    await until(ended.count > 0)
  }

  private func end() {
    let process = program.process
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}

/// Reproducible random numbers.
private struct Generator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let word = state ^ (state >> 33)
    return word &* 0xFF51_AFD7_ED55_8CCD
  }
}
