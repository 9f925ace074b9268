internal import EventBus
internal import EventBusLogging
internal import InMemoryLogging
internal import Logging
internal import TestKit
internal import Testing

/// A logger that keeps its entries.
struct SampleLogger {
  let handler: InMemoryLogHandler
  let logger: Logger

  init(level: Logger.Level = .trace) {
    let handler = InMemoryLogHandler()
    self.handler = handler
    var logger = Logger(label: "sample") { _ in handler }
    logger.logLevel = level
    self.logger = logger
  }

  /// Each entry as its message and some of its metadata.
  func lines(_ keys: String...) -> [String] {
    handler.entries.map { entry in
      ([entry.message.description] + keys.compactMap { entry.metadata[$0].map { "\($0)" } })
        .joined(separator: " ")
    }
  }
}

@Suite("Logging a bus", .timeLimit(.minutes(1)))
struct BusLogTests {
  private let bus = EventBus(label: "shop")
  private let sample = SampleLogger()

  @Test("Posts, deliveries and skips become entries with metadata, in order")
  func entries() throws {
    let log = bus.startLogging(to: sample.logger)
    let handler = bus.observe(.number) { _ in }
    let line: UInt = #line - 1
    let picky = bus.observe(.number, where: { $0 > 5 }) { _ in }
    bus.post(.number, 1)
    let site = "\(#fileID):\(#line - 1)"
    #expect(
      sample.lines("event.name", "event.reason") == [
        "event posted sample.number", "event delivered sample.number",
        "event skipped sample.number declined",
      ]
    )
    let entries = sample.handler.entries
    #expect(entries.allSatisfy { $0.level == .debug })
    #expect(entries.allSatisfy { $0.metadata["event.bus"] == "shop" })
    #expect(entries.allSatisfy { "\($0.metadata["event.site"] ?? "")" == site })
    #expect(Set(entries.map { "\($0.metadata["event.post"] ?? "")" }).count == 1)
    let delivered = try #require(entries.dropFirst().first)
    #expect("\(delivered.metadata["event.handler"] ?? "")" == "\(#fileID):\(line)")
    withExtendedLifetime((log, handler, picky)) {}
  }

  @Test("An entry of a post made by a handler names the post around it")
  func nested() {
    let log = bus.startLogging(to: sample.logger)
    let handler = bus.observe(.number) { [bus] in _ = bus.post(.other, $0) }
    bus.post(.number, 1)
    let entries = sample.handler.entries
    let outer = entries.first { $0.metadata["event.name"] == "sample.number" }
    let inner = entries.first { $0.metadata["event.name"] == "sample.other" }
    #expect(inner?.metadata["event.outerPost"] == outer?.metadata["event.post"])
    #expect(inner?.metadata["event.depth"].map { "\($0)" } == "1")
    withExtendedLifetime((log, handler)) {}
  }

  @Test("An error of a handler is one entry of the level error, with the error itself")
  func errors() throws {
    let log = bus.startLogging(to: sample.logger)
    let handler = bus.observe(.number) { _ in throw SampleError("no room") }
    bus.post(.number, 1)
    let failures = sample.handler.entries.filter { $0.level == .error }
    let failure = try #require(failures.first)
    #expect(failures.count == 1)
    #expect(failure.error as? SampleError == SampleError("no room"))
    #expect(failure.metadata["event.name"] == "sample.number")
    #expect(failure.metadata["event.handler"] != nil)
    withExtendedLifetime((log, handler)) {}
  }

  @Test("An event without a handler is an entry")
  func unhandled() {
    let log = bus.startLogging(to: sample.logger, level: .notice)
    bus.post(.number, 1)
    #expect(sample.lines() == ["event posted", "event reached no handler"])
    #expect(sample.handler.entries.allSatisfy { $0.level == .notice })
    withExtendedLifetime(log) {}
  }

  @Test("The logger's own level decides, at each entry, whether it is written")
  func levels() {
    let quiet = SampleLogger(level: .info)
    let log = bus.startLogging(to: quiet.logger)
    let handler = bus.observe(.number) { _ in throw SampleError() }
    bus.post(.number, 1)
    #expect(quiet.lines() == ["event handler failed"])
    withExtendedLifetime((log, handler)) {}
  }

  @Test("Nothing is written after the token has ended")
  func ends() {
    let log = bus.startLogging(to: sample.logger)
    bus.post(.number, 1)
    let count = sample.handler.entries.count
    log.cancel()
    bus.post(.number, 2)
    #expect(count > 0)
    #expect(sample.handler.entries.count == count)
  }

  @Test("A log handler that posts on the bus is not logged again")
  func reentrant() {
    let posting = Logger(label: "posting") { [bus, sample] _ in
      PostingLogHandler(inner: sample.handler, bus: bus)
    }
    var logger = posting
    logger.logLevel = .trace
    let log = bus.startLogging(to: logger)
    let heard = Inbox<Int>()
    let other = bus.observe(.other) { heard.append($0) }
    bus.post(.number, 1)
    #expect(heard.entries == [0, 0])
    #expect(!sample.lines("event.name").contains { $0.hasSuffix("sample.other") })
    withExtendedLifetime((log, other)) {}
  }

  @Test("Messages of the library are warnings")
  func messages() throws {
    let hooks = EventHooks.logging(sample.logger)
    hooks.onMessage?("EventBus: a line")
    let entry = try #require(sample.handler.entries.first)
    #expect(entry.level == .warning)
    #expect(entry.message == "EventBus: a line")
  }

  @Test("Deliveries to an actor and to asynchronous handlers are entries, with the queueing first")
  func later() async {
    let log = bus.startLogging(to: sample.logger)
    let token = bus.observe(.number) { _ async in await Task.yield() }
    await bus.postAndWait(.number, 1)
    #expect(sample.lines() == ["event posted", "event queued", "event delivered"])
    withExtendedLifetime((log, token)) {}
  }
}

/// A log handler that posts an event for each entry.
private struct PostingLogHandler: LogHandler {
  var inner: InMemoryLogHandler
  let bus: EventBus
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace

  func log(event: LogEvent) {
    bus.post(.other, 0)
    inner.log(event: event)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
}
