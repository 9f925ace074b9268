import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Messages with the things that they name", .timeLimit(.minutes(5)))
struct AppHostMessageTests {
  private let clock = TestClock()
  private let bus = EventBus()
  private let loader = LaunchLoader(onFailure: .continue)
  private let messages = Inbox<AppHostMessage>()

  private func application(
    stopTimeout: Duration? = nil,
    cancelTimeout: Duration? = nil
  ) -> AppHost {
    let configuration = AppHost.Configuration(
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      clock: clock,
      signals: [:],
      onMessage: { [messages] in messages.append($0) },
      launchOptions: LaunchOptions(arguments: ["stage"])
    )
    return AppHost(bus: bus, loader: loader, configuration: configuration)
  }

  @Test("A long start, a cancellation and an abandoned service name service, state and time")
  func service() async throws {
    let app = application(stopTimeout: .seconds(2), cancelTimeout: .seconds(3))
    let never = ManualLatch()
    var options = AppServiceOptions()
    options.reportsReadiness = true
    try app.add("say \"when\"", options: options) { _ in await waitStubbornly(never) }
    let running = Task { try await app.run() }
    await clock.passTime { !messages.entries.isEmpty }
    let first = try #require(messages.entries.first)
    #expect(first.services == ["say \"when\""])
    #expect(first.state == .starting)
    #expect(first.elapsed == .seconds(5))
    #expect(
      first.description
        == "Still waiting, after 5 s, for service \"say \"when\"\" to start: it has not called markReady()."
    )
    app.shutdown()
    await clock.passTime { messages.entries.contains { $0.state == .abandoned } }
    let cancelled = try #require(messages.entries.first { $0.state == .cancelled })
    #expect(cancelled.services == ["say \"when\""])
    #expect(cancelled.elapsed == .seconds(2))
    let abandoned = try #require(messages.entries.first { $0.state == .abandoned })
    #expect(abandoned.services == ["say \"when\""])
    #expect(abandoned.elapsed == nil)
    await #expect(throws: AppHostError.self) { try await running.value }
    never.open()
  }

  @Test("A message is one line, whatever the error and the names in it contain")
  func oneLine() async throws {
    loader.register("two\nnames") { _ in throw Lines() }
    let app = application()
    let running = Task { try await app.run() }
    let message = await messages.first(1)[0]
    #expect(message.description == #"Launch work "two\nnames" failed: one\ntwo\u{1B}[2J."#)
    #expect(message.workers == ["two\nnames"])
    #expect(AppHostMessage("a\r\nb\u{2028}c\u{85}").description == #"a\r\nb\u{2028}c\u{0085}"#)
    app.shutdown()
    #expect(try await running.value == 0)
  }

  private struct Lines: Error, CustomStringConvertible {
    var description: String { "one\ntwo\u{1b}[2J" }
  }

  @Test("Launch work that failed, or could not begin, is named, although the program continues")
  func worker() async throws {
    loader.register("broken") { _ in throw Broken() }
    loader.register("needy", after: ["absent"]) { _ in }
    let app = application()
    let running = Task { try await app.run() }
    let said = await messages.first(2)
    #expect(said.contains { "\($0)".hasPrefix("Launch worker ") && "\($0)".contains("absent") })
    let message = try #require(said.first { $0.state == .ended })
    #expect(message.error is Broken)
    #expect(message.workers == ["broken"])
    #expect(message.elapsed != nil)
    #expect(message.services.isEmpty)
    #expect(message.description == "Launch work \"broken\" failed: broken.")
    app.shutdown()
    #expect(try await running.value == 0)
  }

  @Test("Launch work that takes long is named, during the start and during a stop")
  func slowWorker() async throws {
    let mayEnd = ManualLatch()
    loader.register("slow") { _ async in await waitStubbornly(mayEnd) }
    let app = application()
    let running = Task { try await app.run() }
    await clock.passTime { !messages.entries.isEmpty }
    #expect(messages.entries[0].workers == ["slow"])
    #expect(messages.entries[0].state == .starting)
    app.shutdown()
    await clock.passTime { messages.entries.contains { $0.state == .stopping } }
    let stopping = try #require(messages.entries.first { $0.state == .stopping })
    #expect(stopping.workers == ["slow"])
    #expect(stopping.description == "Still waiting, after 5 s, for launch work \"slow\" to stop.")
    mayEnd.open()
    #expect(try await running.value == 0)
  }
}
