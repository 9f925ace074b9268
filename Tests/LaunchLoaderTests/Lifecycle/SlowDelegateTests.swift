import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Delegates and handlers that take long", .timeLimit(.minutes(5)))
struct SlowDelegateTests {
  typealias Waiting = DelegateWaitTests.Waiting

  /// The messages about a wait, without the sites of handlers.
  private func waits(_ stage: Stage) -> [String] {
    stage.messages.entries.filter { $0.hasPrefix("Still waiting, ") }.map { message in
      let parts = message.split(separator: " (registered at ", maxSplits: 1)
      guard parts.count == 2, let end = parts[1].firstIndex(of: ")") else { return message }
      return "\(parts[0])\(parts[1][end...].dropFirst())"
    }
  }

  @Test(
    "A method that does not return while the program runs is named after 5 s, and then every 10 s",
    arguments: ["didBecomeActive", "didEnterBackground", "willEnterForeground"]
  )
  func method(edge: String) async throws {
    let delegate = Waiting(Log(), in: edge)
    let stage = Stage(delegate: delegate)
    let running = try await stage.startUntilActive()
    stage.app.report(.background)
    stage.app.enteredForeground()
    await delegate.hasBegun.wait()
    await stage.passTime { stage.messages.entries.count == 3 }
    let name = "application\(edge.prefix(1).uppercased())\(edge.dropFirst())(_:)"
    #expect(
      waits(stage)
        == [5, 15, 25].map { "Still waiting, after \($0) s, for delegate method \(name)." }
    )
    delegate.mayEnd.open()
    await stage.app.waitUntilSettled()
    // Nothing is waited for any longer.
    await stage.clock.jumpAtRest(by: .seconds(60))
    #expect(try await stage.stop(running) == 0)
    #expect(stage.messages.entries.count == 3)
    await until(stage.clock.sleeperCount == 0)
  }

  @Test("A handler of a phase that blocks its thread is named")
  func handler() async throws {
    let stage = Stage()
    let (isBlocked, mayReturn) = (ManualLatch(), ManualLatch())
    let token = stage.bus.observe(.didEnterBackground) {
      isBlocked.open()
      mayReturn.block()
    }
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    async let blocking: Void = onThreads(1) { [app = stage.app] _ in app.report(.background) }
    await isBlocked.wait()
    await stage.passTime { !stage.messages.entries.isEmpty }
    #expect(
      waits(stage) == ["Still waiting, after 5 s, for handlers of application.didEnterBackground."]
    )
    mayReturn.open()
    await blocking
    #expect(try await stage.stop(running) == 0)
    token.cancel()
  }

  @Test(
    "The request to stop cancels the method in progress, and the stop follows its end",
    arguments: [
      "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "didEnterBackground",
    ]
  )
  func cancelledByTheRequest(edge: String) async throws {
    let log = Log<String>()
    let delegate = Waiting(log, in: edge)
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(20))
    let running = stage.start()
    if edge == "didEnterBackground" {
      try await stage.app.waitUntil(state: .active)
      stage.app.report(.background)
    }
    await delegate.hasBegun.wait()
    stage.app.shutdown()
    // The clock stands still.
    #expect(try await running.value == 0)
    let entries = log.entries
    let index = try #require(entries.firstIndex(of: edge))
    #expect(entries[index + 1] == "\(edge) ends cancelled")
    #expect(entries.last == "willTerminate")
    #expect(stage.messages.entries.isEmpty)
  }

  @Test(
    "A method that computes when the stop is requested sees its cancellation, and suspends cancelled"
  )
  func cancelledWhileComputing() async throws {
    final class Computing: AppHostDelegate {
      let log = Log<String>()
      let (hasBegun, mayGoOn) = (ManualLatch(), ManualLatch())
      func applicationDidEnterBackground(_ app: AppHost) async {
        hasBegun.open()
        mayGoOn.block()
        log.append("cancelled: \(Task.isCancelled)")
        await ManualLatch().wait()
      }
    }
    let delegate = Computing()
    let stage = Stage(delegate: delegate)
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    async let computing: Void = onThreads(1) { [app = stage.app] _ in app.report(.background) }
    await delegate.hasBegun.wait()
    stage.app.shutdown()
    await rest()
    delegate.mayGoOn.open()
    await computing
    #expect(try await running.value == 0)
    #expect(delegate.log.entries == ["cancelled: true"])
  }

  @Test("Methods for state changes before the stop begin cancelled, and those of the stop do not")
  func queuedBeforeTheStop() async throws {
    final class Sleeping: AppHostDelegate {
      let log = Log<String>()
      let hasBegun = ManualLatch()
      private func note(_ edge: String) async {
        // The first one is in progress when the stop is requested.
        if edge == "resign", !hasBegun.isOpen {
          hasBegun.open()
          await ManualLatch().wait()
        } else if edge != "resign", edge != "terminate" {
          await ManualLatch().wait()
        }
        await Task.yield()
        log.append("\(edge)\(Task.isCancelled ? " cancelled" : "")")
      }
      func applicationWillResignActive(_ app: AppHost) async { await note("resign") }
      func applicationDidEnterBackground(_ app: AppHost) async { await note("background") }
      func applicationWillEnterForeground(_ app: AppHost) async { await note("foreground") }
      func applicationDidBecomeActive(_ app: AppHost) async {
        if hasBegun.isOpen { await note("active") }
      }
      func applicationWillTerminate(_ app: AppHost) async { await note("terminate") }
    }
    let delegate = Sleeping()
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(100))
    let app = stage.app
    let running = try await stage.startUntilActive()
    await app.waitUntilSettled()
    app.report(.background)
    app.enteredForeground()
    await delegate.hasBegun.wait()
    app.shutdown()
    // Only methods that sleep until the deadline make time matter.
    await stage.passTime { app.state == .terminated }
    #expect(try await running.value == 0)
    #expect(
      delegate.log.entries == [
        "resign cancelled", "background cancelled", "foreground cancelled", "active cancelled",
        "resign", "terminate",
      ]
    )
    #expect(!stage.messages.entries.contains { $0.hasPrefix("Abandoned") })
  }

  @Test("A method that begins after others were abandoned is abandoned at the last limit")
  func lastLimit() async throws {
    let delegate = Waiting(Log(), in: "willFinishLaunching", isStubborn: true)
    let stage = Stage(delegate: delegate, cancelTimeout: .seconds(3))
    let token = stage.bus.observe(.appStateDidChange) { [app = stage.app] state in
      if state == .launching { app.cancel(exitCode: 7) }
    }
    let running = stage.start()
    await delegate.hasBegun.wait()
    let isOver = ManualLatch()
    let code = Task {
      defer { isOver.open() }
      return try await running.value
    }
    await stage.passTime { isOver.isOpen }
    #expect(try await code.value == 7)
    #expect(
      stage.messages.entries
        == ["Abandoned: delegate method applicationWillFinishLaunching(_:options:)."]
    )
    delegate.mayEnd.open()
    token.cancel()
  }

  @Test(
    "Control-Z waits for the delegate at most for the time of a stop",
    arguments: [true, false]
  )
  func background(blocks: Bool) async throws {
    final class Slow: AppHostDelegate {
      let blocks: Bool
      let log = Log<String>()
      let (hasBegun, mayEnd) = (ManualLatch(), ManualLatch())
      init(blocks: Bool) { self.blocks = blocks }

      func applicationWillResignActive(_ app: AppHost) async {
        guard !hasBegun.isOpen else { return }
        hasBegun.open()
        if blocks { mayEnd.block() } else { await mayEnd.wait() }
        log.append("ends, cancelled: \(Task.isCancelled)")
      }
      func applicationDidEnterBackground(_ app: AppHost) { log.append("background") }
    }
    let delegate = Slow(blocks: blocks)
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(20))
    let app = stage.app
    let running = try await stage.startUntilActive()
    await app.waitUntilSettled()
    let hasStopped = ManualLatch()
    // A method that blocks does so on a separate thread.
    let threads = Task { if blocks { await onThreads(1) { _ in app.report(.background) } } }
    if blocks { await delegate.hasBegun.wait() }
    let answering = Task {
      await app.enteredBackground()
      hasStopped.open()
    }
    await delegate.hasBegun.wait()
    await stage.passTime(atMost: 19) { hasStopped.isOpen }
    #expect(!hasStopped.isOpen)
    await stage.passTime { hasStopped.isOpen }
    await answering.value
    let message =
      "Going to the background takes longer than 20 s: not waiting for delegate method "
      + "applicationWillResignActive(_:)."
    await until(stage.messages.entries.contains(message))
    #expect(delegate.log.entries.isEmpty)
    delegate.mayEnd.open()
    await threads.value
    try await app.waitUntil(state: .background)
    await app.waitUntilSettled()
    #expect(try await stage.stop(running) == 0)
    #expect(delegate.log.entries == ["ends, cancelled: false", "background"])
  }
}
