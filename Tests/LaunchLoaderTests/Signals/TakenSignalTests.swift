#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension ProcessSignalTests {
  /// Dispositions of this process that other code changes; no signal is sent.
  @Suite("Signals that other code handles", .timeLimit(.minutes(5)))
  struct TakenSignalTests {
    private let clock = TestClock()
    private let bus = EventBus()
    private let messages = Inbox<String>()
    private let log = Log<String>()

    private func application(_ signals: [UnixSignal: UnixSignal.Meaning]) -> AppHost {
      let configuration = AppHost.Configuration(
        stopTimeout: nil,
        cancelTimeout: nil,
        clock: clock,
        signals: signals,
        onMessage: { [messages] in messages.append($0.description) },
        launchOptions: LaunchOptions(arguments: ["test"])
      )
      return AppHost(bus: bus, loader: LaunchLoader(), configuration: configuration)
    }

    /// The messages about a signal.
    private func said(_ signal: UnixSignal) -> [String] {
      messages.entries.filter { $0.contains("Other code now handles \(signal)") }
    }

    /// What other code does with a signal.
    enum Disposition: CaseIterable, Sendable {
      case handled, ignored, byDefault

      func install(for signal: UnixSignal) {
        switch self {
        case .handled: TestSupport.signal(signal.rawValue) { _ in }
        case .ignored: TestSupport.signal(signal.rawValue, SIG_IGN)
        case .byDefault: TestSupport.signal(signal.rawValue, SIG_DFL)
        }
      }
    }

    /// Restores the disposition of a signal that no other test uses.
    private func restore(_ signals: UnixSignal...) {
      for signal in signals { Disposition.byDefault.install(for: signal) }
    }

    private func run(_ app: AppHost) async throws -> Task<Int32, any Error> {
      let running = Task { try await app.run() }
      try await app.waitUntil(state: .active)
      await rest()
      return running
    }

    @Test(
      "A signal of any meaning that other code takes during the start is named, once",
      arguments: Disposition.allCases
    )
    func duringTheStart(disposition: Disposition) async throws {
      let urgent = UnixSignal(rawValue: SIGURG)
      let signals: [UnixSignal: UnixSignal.Meaning] = [
        .user1: .shutdown, .user2: .reload, urgent: .foreground, .windowChanged: .background,
      ]
      defer { restore(.user1, .user2, urgent, .windowChanged) }
      let app = application(signals)
      try app.add("thief") { context in
        for signal in signals.keys { disposition.install(for: signal) }
        try await context.waitUntilShutdown()
      }
      let running = try await run(app)
      for signal in signals.keys { #expect(said(signal).count == 1, "\(signal)") }
      app.shutdown()
      #expect(try await running.value == 0)
      #expect(messages.entries.count == signals.count)
    }

    /// The moments at which the dispositions are compared.
    enum Moment: CaseIterable, Sendable {
      case delayOfStart, delayOfHandler, stop, delayOfStop, otherSignal
    }

    @Test(
      "A signal that other code takes later is named at the next moment, and not again",
      arguments: Moment.allCases
    )
    func later(moment: Moment) async throws {
      defer { restore(.user1, .user2) }
      let app = application([.user1: .shutdown, .user2: .reload])
      let (mayBeReady, mayReload, mayEnd) = (ManualLatch(), ManualLatch(), ManualLatch())
      if moment != .delayOfStart { mayBeReady.open() }
      if moment != .delayOfStop { mayEnd.open() }
      let token = bus.observe(.appShouldReload) { () async in await mayReload.wait() }
      try app.add("slow", options: AppServiceOptions(reportsReadiness: true)) { context in
        await mayBeReady.wait()
        context.markReady()
        try await context.waitUntilShutdown()
        await waitStubbornly(mayEnd)
      }
      let running = Task { try await app.run() }
      if moment == .delayOfStart { await rest() } else { try await app.waitUntil(state: .active) }
      await rest()
      switch moment {
      case .delayOfStop: app.shutdown()
      case .delayOfHandler: UnixSignal.inject(.user2)
      case .delayOfStart, .stop, .otherSignal: break
      }
      await rest()
      #expect(messages.entries == [])
      Disposition.handled.install(for: .user1)
      switch moment {
      case .delayOfStart, .delayOfHandler, .delayOfStop: await clock.jumpAtRest(by: .seconds(5))
      case .stop: app.shutdown()
      case .otherSignal: UnixSignal.inject(.user2)
      }
      await rest()
      #expect(said(.user1).count == 1)
      // The next moments.
      await clock.jumpAtRest(by: .seconds(10))
      mayBeReady.open()
      mayReload.open()
      app.shutdown()
      mayEnd.open()
      #expect(try await running.value == 0)
      #expect(said(.user1).count == 1)
      token.cancel()
    }

    @Test("Signals that are still the application's, or ignored as it wants, are not named")
    func undisturbed() async throws {
      let pipe = UnixSignal(rawValue: SIGPIPE)
      defer { restore(.user1, .user2, pipe) }
      let app = application([.user1: .shutdown, pipe: .ignore])
      try app.add("a") { context in
        // As libraries for networks do.
        Disposition.ignored.install(for: pipe)
        // The application does not take this one.
        Disposition.handled.install(for: .user2)
        let others = UnixSignal.stream(.user1)
        try await context.waitUntilShutdown()
        withExtendedLifetime(others) {}
      }
      let running = try await run(app)
      app.shutdown()
      #expect(try await running.value == 0)
      #expect(messages.entries == [])
    }

    @Test("A signal ignored at the beginning of the run stays ignored, and is named")
    func ignoredAtTheStart() async throws {
      defer { restore(.user1, .user2) }
      let app = application([.user1: .shutdown, .user2: .reload, .windowChanged: .background])
      for signal in [UnixSignal.user1, .user2] { Disposition.ignored.install(for: signal) }
      try app.add("a") { try await $0.waitUntilShutdown() }
      let running = try await run(app)
      app.shutdown()
      #expect(try await running.value == 0)
      #expect(messages.entries.count == 2)
      for signal in ["SIGUSR1", "SIGUSR2"] {
        #expect(messages.entries.count { $0.contains("\(signal) was ignored") } == 1)
      }
    }

    @Test(
      "A signal that a shell ignores on purpose, under nohup or for a background job, is not named"
    )
    func ignoredByAShell() async throws {
      let signals: [UnixSignal] = [.hangup, .interrupt, .quit]
      let kept = signals.map { (signal: $0, action: action(of: $0)) }
      defer { for (signal, action) in kept { install(action, for: signal) } }
      let app = application(UnixSignal.Meaning.standard)
      for signal in signals { Disposition.ignored.install(for: signal) }
      try app.add("a") { try await $0.waitUntilShutdown() }
      let running = try await run(app)
      app.shutdown()
      #expect(try await running.value == 0)
      #expect(messages.entries == [])
    }

    private func action(of signal: UnixSignal) -> sigaction {
      var action = sigaction()
      _ = unsafe sigaction(signal.rawValue, nil, &action)  // Reason: outlives the call.
      return action
    }

    private func install(_ action: sigaction, for signal: UnixSignal) {
      var action = action
      _ = unsafe sigaction(signal.rawValue, &action, nil)  // Reason: outlives the call.
    }
  }
}
#endif
