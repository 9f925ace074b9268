import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Asynchronous delegates", .timeLimit(.minutes(5)))
struct DelegateWaitTests {
  /// Notes each call, and waits in one method until a latch opens.
  final class Waiting: AppHostDelegate {
    let log: Log<String>
    let edge: String
    let hasBegun = ManualLatch()
    let wasCancelled = ManualLatch()
    let mayEnd = ManualLatch()
    /// Indicates that even a cancellation does not end the wait.
    let isStubborn: Bool

    init(_ log: Log<String>, in edge: String, isStubborn: Bool = false) {
      (self.log, self.edge, self.isStubborn) = (log, edge, isStubborn)
    }

    private func note(_ edge: String) async {
      log.append(edge)
      guard edge == self.edge else { return }
      hasBegun.open()
      await withTaskCancellationHandler {
        if isStubborn { await waitStubbornly(mayEnd) } else { await mayEnd.wait() }
      } onCancel: {
        wasCancelled.open()
      }
      log.append("\(edge) ends\(Task.isCancelled ? " cancelled" : "")")
    }

    func applicationWillFinishLaunching(_ app: AppHost, options: LaunchOptions) async {
      await note("willFinishLaunching")
    }
    func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) async {
      await note("didFinishLaunching")
    }
    func applicationDidBecomeActive(_ app: AppHost) async { await note("didBecomeActive") }
    func applicationWillResignActive(_ app: AppHost) async { await note("willResignActive") }
    func applicationDidEnterBackground(_ app: AppHost) async {
      await note("didEnterBackground")
    }
    func applicationWillEnterForeground(_ app: AppHost) async {
      await note("willEnterForeground")
    }
    func applicationWillTerminate(_ app: AppHost) async { await note("willTerminate") }
  }

  @Test("The deadline also ends the wait for a delegate if a service's error cancels the others")
  func deadlineAfterCancelling() async throws {
    struct Broken: Error {}
    let (log, mayFail) = (Log<String>(), ManualLatch())
    let delegate = Waiting(log, in: "willTerminate", isStubborn: true)
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    try stage.add("patient")
    try stage.add("broken", { $0.onThrow = .cancel }) { _ in
      await mayFail.wait()
      throw Broken()
    }
    let running = try await stage.startUntilActive()
    mayFail.open()
    await delegate.hasBegun.wait()
    let isOver = ManualLatch()
    let watching = Task {
      _ = await running.result
      isOver.open()
    }
    await stage.passTime(atMost: 60) { isOver.isOpen }
    #expect(isOver.isOpen)
    await #expect(throws: AppHostError.self) {
      if isOver.isOpen { _ = try await running.value }
    }
    delegate.mayEnd.open()
    await watching.value
  }

  @Test(
    "Nothing that follows a method of the delegate happens before it returns",
    arguments: [
      ("willFinishLaunching", "application.willFinishLaunching in launching"),
      ("didFinishLaunching", "application.didFinishLaunching in launching"),
      ("didBecomeActive", "application.didBecomeActive in active"),
      ("willResignActive", "application.willResignActive in active"),
      ("didEnterBackground", "application.didEnterBackground in background"),
      ("willEnterForeground", "application.willEnterForeground in background"),
      ("willTerminate", "application.willTerminate in stopping"),
    ]
  )
  func order(edge: String, event: String) async throws {
    let log = Log<String>()
    let delegate = Waiting(log, in: edge)
    let stage = Stage(delegate: delegate)
    let token = stage.bus.observeAll { [app = stage.app] event in
      log.append("\(event.name) in \(app.state)")
    }
    try stage.app.add("a") { context in
      log.append("+a")
      try await context.waitUntilShutdown()
      log.append("-a")
    }
    stage.loader.register { _ in log.append("launch work") }
    let running = stage.start()
    let driving = Task { [app = stage.app] in
      try await app.waitUntil(state: .active)
      await app.waitUntilSettled()
      app.report(.background)
      app.enteredForeground()
      await app.waitUntilSettled()
      app.shutdown()
    }
    await delegate.hasBegun.wait()
    // The service is entered by another task.
    await rest()
    log.append("may end")
    delegate.mayEnd.open()
    #expect(try await running.value == 0)
    try await driving.value
    token.cancel()
    let entries = log.entries.filter { $0 != "+a" }
    let index = try #require(entries.firstIndex(of: "may end"))
    #expect(entries[index - 1] == edge)
    #expect(entries[index + 1] == "\(edge) ends")
    #expect(entries[index + 2] == event)
    // These two occur again, around the time in the foreground that follows.
    let isRepeated = edge == "didBecomeActive" || edge == "willResignActive"
    #expect(entries.count(where: { $0 == event }) == (isRepeated ? 2 : 1))
    #expect(entries.suffix(2) == ["-a", "application.stateDidChange in terminated"])
  }

  /// The method that does not return, and what ends the wait for it.
  struct Case: Sendable, CustomTestStringConvertible {
    let edge: String
    let ending: AppHostWaitTests.Ending
    var testDescription: String { "\(edge), \(ending)" }
  }

  static let cases = [
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
    "willTerminate",
  ].flatMap { edge in AppHostWaitTests.Ending.allCases.map { Case(edge: edge, ending: $0) } }

  @Test(
    "A delegate method that does not return is named, cancelled and abandoned",
    arguments: cases
  )
  func abandoned(_ example: Case) async throws {
    let log = Log<String>()
    let delegate = Waiting(log, in: example.edge, isStubborn: true)
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let app = stage.app
    let request = { example.ending == .interrupt ? app.interrupt(15) : app.shutdown() }
    let running = stage.start()
    if example.edge.hasSuffix("FinishLaunching") {
      await delegate.hasBegun.wait()
      request()
    } else {
      try await app.waitUntil(state: .active)
      request()
      await delegate.hasBegun.wait()
    }
    switch example.ending {
    case .deadline:
      await stage.clock.waitForSleepers(atLeast: 1)
      await stage.clock.jumpAtRest(by: .seconds(20))
      #expect(try await running.value == 0)
    case .interrupt:
      stage.interruptAgain(15)
      #expect(try await running.value == 143)
    case .cancellation:
      running.cancel()
      await #expect(throws: CancellationError.self) { try await running.value }
    }
    let name = "application\(example.edge.prefix(1).uppercased())\(example.edge.dropFirst())"
    let label = example.edge.hasSuffix("FinishLaunching") ? "(_:options:)" : "(_:)"
    #expect(
      stage.messages.entries.filter { $0.hasPrefix("Abandoned") }
        == ["Abandoned: delegate method \(name)\(label)."]
    )
    #expect(app.state == .terminated)
    // The other edges of the stop have reached the delegate.
    #expect(log.entries.contains("willTerminate"))
    // The cancellation is another task's, and may follow the end of the run.
    await delegate.wasCancelled.wait()
    delegate.mayEnd.open()
    await until(log.entries.last == "\(example.edge) ends cancelled")
  }

  /// Forces the stop in one method, before that suspends.
  final class Impatient: AppHostDelegate {
    let edge: String
    let mayEnd = ManualLatch()

    init(in edge: String) { self.edge = edge }

    private func force(_ app: AppHost, _ edge: String) async {
      guard edge == self.edge else { return }
      app.cancel(exitCode: 143)
      await waitStubbornly(mayEnd)
    }

    func applicationWillFinishLaunching(_ app: AppHost, options: LaunchOptions) async {
      await force(app, "applicationWillFinishLaunching(_:options:)")
    }
    func applicationDidBecomeActive(_ app: AppHost) async {
      await force(app, "applicationDidBecomeActive(_:)")
    }
    func applicationWillTerminate(_ app: AppHost) async {
      await force(app, "applicationWillTerminate(_:)")
    }
  }

  @Test(
    "A delegate method that suspends after the stop was forced is abandoned at once",
    arguments: [
      "applicationWillFinishLaunching(_:options:)", "applicationDidBecomeActive(_:)",
      "applicationWillTerminate(_:)",
    ]
  )
  func suspendsLate(method: String) async throws {
    let delegate = Impatient(in: method)
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
    let running = stage.start()
    if method == "applicationWillTerminate(_:)" {
      try await stage.app.waitUntil(state: .active)
      stage.app.shutdown(exitCode: 143)
    }
    #expect(try await running.value == 143)
    #expect(
      stage.messages.entries.filter { $0.hasPrefix("Abandoned") }
        == ["Abandoned: delegate method \(method)."]
    )
    delegate.mayEnd.open()
  }

  @Test(
    "After 5 s the delegate method that delays the start or the stop is named",
    arguments: [
      ("willFinishLaunching", "applicationWillFinishLaunching(_:options:) to start"),
      ("willTerminate", "applicationWillTerminate(_:) to stop"),
    ]
  )
  func named(edge: String, text: String) async throws {
    let delegate = Waiting(Log(), in: edge)
    let stage = Stage(delegate: delegate)
    let running = stage.start()
    if edge == "willTerminate" {
      try await stage.app.waitUntil(state: .active)
      stage.app.shutdown()
    }
    await delegate.hasBegun.wait()
    await stage.passTime { !stage.messages.entries.isEmpty }
    #expect(
      stage.messages.entries.first == "Still waiting, after 5 s, for delegate method \(text)."
    )
    delegate.mayEnd.open()
    if edge != "willTerminate" {
      try await stage.app.waitUntil(state: .active)
      stage.app.shutdown()
    }
    #expect(try await running.value == 0)
  }

  @Test("A change made by a method that has suspended follows its state change")
  func nested() async throws {
    final class Returning: AppHostDelegate {
      let log: Log<String>
      init(_ log: Log<String>) { self.log = log }
      func applicationDidEnterBackground(_ app: AppHost) async {
        await Task.yield()
        app.enteredForeground()
        log.append("still in \(app.state)")
      }
      func applicationWillEnterForeground(_ app: AppHost) async {
        await Task.yield()
        log.append("leaves \(app.state)")
      }
    }
    let log = Log<String>()
    let delegate = Returning(log)
    let stage = Stage(delegate: delegate)
    let token = stage.bus.observe(.didEnterBackground) { log.append("event") }
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    stage.app.report(.background)
    // The delegate leaves this state by itself, so a wait for it might begin too late.
    await stage.app.waitUntilSettled()
    await stage.app.waitUntilSettled()
    #expect(stage.app.state == .active)
    #expect(try await stage.stop(running) == 0)
    #expect(log.entries == ["still in background", "event", "leaves background"])
    token.cancel()
  }

  /// A class on the main actor without further words.
  @MainActor
  final class Window: AppHostDelegate {
    var edges: [String] = []

    func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {
      edges.append("launched")
    }
    func applicationDidBecomeActive(_ app: AppHost) { edges.append("active") }
    func applicationWillResignActive(_ app: AppHost) async {
      await Task.yield()
      edges.append("resigns")
    }
    func applicationWillTerminate(_ app: AppHost) { edges.append("ends") }
  }

  @Test("A delegate on the main actor is called there, whatever changes the state")
  func mainActor() async throws {
    let window = Window()
    let stage = Stage(delegate: window)
    #expect(try await stage.runOnce() == 0)
    let edges = await window.edges
    #expect(edges == ["launched", "active", "resigns", "ends"])
  }

  /// Registers a handler that belongs to no actor.
  nonisolated private static func observeAnywhere(
    _ bus: EventBus,
    _ handler: @escaping @Sendable () -> Void
  ) -> Token {
    bus.observe(.didEnterBackground) { handler() }
  }

  @Test("After a method that suspends, the delivery continues on the actor that changed the state")
  @MainActor
  func continuesOnActor() async throws {
    let delegate = Waiting(Log(), in: "didEnterBackground")
    let stage = Stage(delegate: delegate)
    let (app, calls) = (stage.app, Inbox<Void>())
    let running = try await stage.startUntilActive()
    await app.waitUntilSettled()
    let token = Self.observeAnywhere(stage.bus) {
      MainActor.assertIsolated()
      calls.append(())
    }
    app.report(.background)
    await delegate.hasBegun.wait()
    delegate.mayEnd.open()
    _ = await calls.first(1)
    token.cancel()
    #expect(try await stage.stop(running) == 0)
  }
}
