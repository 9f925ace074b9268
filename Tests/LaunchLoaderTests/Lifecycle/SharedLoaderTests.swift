import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("A loader and its application", .timeLimit(.minutes(5)))
struct SharedLoaderTests {
  private static let number = LaunchKey<Int>("number")

  private enum Worker: LaunchWorker {
    case worker
    static let id: LaunchID = "named"
    init() { self = .worker }
    func launch(_ options: LaunchOptions) async throws {}
  }

  /// The forms of a registration with a name that is taken.
  enum Form: CaseIterable, Sendable { case plain, asynchronous, isolated, making, type }

  /// When it is registered.
  enum Moment: CaseIterable, Sendable { case before, duringTheLaunch, afterwards }

  struct Example: Sendable, CustomTestStringConvertible {
    let form: Form
    let moment: Moment
    var testDescription: String { "\(form), \(moment)" }

    static let all = Form.allCases.flatMap { form in
      Moment.allCases.map { Example(form: form, moment: $0) }
    }
  }

  private func register(_ form: Form, with loader: LaunchLoader) -> LaunchRegistration {
    switch form {
    case .plain: loader.register("named") { _ in }
    case .asynchronous: loader.register("named") { _ async in }
    case .isolated: loader.register("named") { @MainActor _ in }
    case .making: loader.register(LaunchKey<Int>("named")) { _ in 1 }
    case .type: loader.register(Worker.self)
    }
  }

  @Test("A refused registration is a message with both lines", arguments: Example.all)
  func duplicates(_ example: Example) async throws {
    let stage = Stage()
    let first = stage.loader.register("named") { _ in }
    let tokens = Inbox<LaunchRegistration>()
    if example.moment == .before { tokens.append(register(example.form, with: stage.loader)) }
    stage.loader.register("other") { _ async in
      if example.moment == .duringTheLaunch {
        tokens.append(register(example.form, with: stage.loader))
      }
    }
    let running = try await stage.startUntilActive()
    if example.moment == .afterwards { tokens.append(register(example.form, with: stage.loader)) }
    let second = await tokens.first(1)[0]
    let said = await stage.messages.first(1)
    #expect(said[0].hasPrefix("Launch work \"named\" (\(second.site)) was refused: "))
    #expect(said[0].contains("\(first.site)"))
    try await stage.stop(running)
    #expect(stage.messages.entries.count == 1)
  }

  @Test("A registration with a stopped loader is also a message")
  func stopped() async throws {
    let stage = Stage()
    let token = Inbox<LaunchRegistration>()
    try stage.add("a") { [loader = stage.loader] context in
      try await context.waitUntilShutdown()
      token.append(loader.register("late") { _ in })
    }
    #expect(try await stage.runOnce() == 0)
    let site = try #require(token.entries.first).site
    #expect(stage.messages.entries.count == 1)
    #expect(
      stage.messages.entries.first?.hasPrefix("Launch work \"late\" (\(site)) was refused: ")
        == true
    )
  }

  @Test("Work that a stop prevents is not a message")
  func prevented() async throws {
    let stage = Stage()
    let holds = ManualLatch()
    stage.loader.register("hold") { _ async in await holds.wait() }
    for _ in 0..<3 { stage.loader.register(phase: .idle) { _ in } }
    let running = stage.start()
    await rest()
    stage.app.shutdown()
    #expect(try await running.value == 0)
    #expect(stage.messages.entries == [])
  }

  @Test(
    "A second host on a loader that another host uses is refused, and the error says what to do"
  )
  func secondApplication() async throws {
    let stage = Stage()
    let log = stage.log
    stage.loader.register(Self.number) { _ in 1 }
    try stage.add("a")
    let running = try await stage.startUntilActive()
    let delegate = RecordingDelegate(Log())
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    let second = AppHost(
      delegate: delegate,
      bus: bus,
      loader: stage.loader,
      configuration: AppHost.Configuration(clock: stage.clock, signals: [:])
    )
    try second.add("b") { _ in log.append("+b") }
    let waiting = Task { try await second.waitUntil(state: .active) }
    let found = await errors(of: Task { try await second.run() })
    #expect(found.count == 1)
    #expect(found.first?.contains("AppHost(loader: LaunchLoader())") == true)
    await #expect(throws: AppStateError.self) { try await waiting.value }
    #expect(second.state == .terminated)
    #expect(recorder.events.isEmpty)
    // It does not run later either.
    #expect(await errors(of: Task { try await second.run() }).count == 1)
    // The first one is as before.
    #expect(stage.app.state == .active)
    let late = stage.loader.register("late") { _ in log.append("late") }
    #expect(late.outcome?.description == "finished")
    #expect(try await stage.stop(running) == 0)
    #expect(log.entries == ["+a", "late", "-a"])
  }

  @Test("Of applications that run on one loader at once, one runs")
  func race() async throws {
    for _ in 0..<rounds(200, debug: 50, sanitized: 50) {
      let loader = LaunchLoader()
      let hosts = (0..<4).map { _ in
        AppHost(bus: EventBus(), loader: loader, configuration: AppHost.Configuration(signals: [:]))
      }
      let runs = hosts.map { host in Task { try await host.run() } }
      await until(
        hosts.count { $0.state == .active } == 1 && hosts.count { $0.state == .terminated } == 3
      )
      for host in hosts { host.shutdown() }
      var results: [Bool] = []
      for run in runs { results.append(await errors(of: run).isEmpty) }
      #expect(results.count { $0 } == 1)
    }
  }

  @Test(
    "After a host has ended, another may run on its loader, and gets a message that no work runs again"
  )
  func oneAfterTheOther() async throws {
    let first = Stage()
    first.loader.register(Self.number) { _ in 1 }
    #expect(try await first.runOnce() == 0)
    let messages = Inbox<String>()
    let second = AppHost(
      bus: EventBus(),
      loader: first.loader,
      configuration: AppHost.Configuration(
        clock: first.clock,
        signals: [:],
        onMessage: { messages.append($0.description) }
      )
    )
    let running = Task { try await second.run() }
    try await second.waitUntil(state: .active)
    second.shutdown()
    #expect(try await running.value == 0)
    #expect(messages.entries.count == 1)
    #expect(messages.entries.first?.contains("AppHost(loader: LaunchLoader())") == true)
  }

  @Test("A loader that was launched without a host, or had no work, serves one without a message")
  func launchedBefore() async throws {
    let stage = Stage()
    stage.loader.register(Self.number) { _ in 1 }
    try await stage.loader.launch()
    #expect(try await stage.runOnce() == 0)
    #expect(stage.messages.entries == [])
    let empty = Stage()
    #expect(try await empty.runOnce() == 0)
    let messages = Inbox<String>()
    let configuration = AppHost.Configuration(signals: [:]) { messages.append($0.description) }
    let second = AppHost(bus: EventBus(), loader: empty.loader, configuration: configuration)
    second.shutdown()
    #expect(try await second.run() == 0)
    #expect(messages.entries == [])
  }
}
