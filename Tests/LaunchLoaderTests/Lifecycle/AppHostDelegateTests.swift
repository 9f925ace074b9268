import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Application delegate", .timeLimit(.minutes(5)))
struct AppHostDelegateTests {
  @Test("The delegate is called for every transition, once and in order, each before its event")
  func edges() async throws {
    let log = Log<String>()
    let stage = Stage(delegate: RecordingDelegate(log))
    let token = stage.bus.observe(.didBecomeActive) { log.append("event") }
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    await stage.app.waitUntilSettled()
    stage.app.enterBackground()
    stage.app.enterForeground()
    stage.app.shutdown()
    _ = try await running.value
    #expect(
      log.entries == [
        "willFinishLaunching [\"stage\"]", "didFinishLaunching [\"stage\"]",
        "didBecomeActive", "event",
        "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive", "event",
        "willResignActive", "willTerminate",
      ]
    )
    token.cancel()
  }

  @Test("Every delegate method has a default implementation")
  func defaults() async throws {
    final class Silent: AppHostDelegate {}
    let stage = Stage(delegate: Silent())
    #expect(try await stage.runOnce() == 0)
  }

  @Test("Delegate ownership (assign, weak, strong until invalidated)")
  func ownership() {
    final class Owned: AppHostDelegate {}
    let stage = Stage(delegate: Owned())
    // Only the application retains it.
    weak let first = stage.app.delegate
    #expect(first != nil)
    var former = stage.app.replaceDelegate(Owned())
    #expect(former === first)
    former = nil
    #expect(first == nil)
    weak let second = stage.app.delegate
    stage.app.replaceDelegate(nil)
    #expect(second == nil)
    #expect(stage.app.delegate == nil)
  }

  @Test("A delegate that replaces itself receives no call after its current one")
  func replacedInside() async throws {
    let log = Log<String>()
    let tally = Tally()
    let next = RecordingDelegate(log, name: "next: ")
    let probe = Holder(tally.probe())
    let first = Holder<RecordingDelegate>()
    first.hold(
      RecordingDelegate(log, name: "first: ") { [value = probe.value] app, edge in
        value?.touch()
        if edge == "didBecomeActive" { app.replaceDelegate(next) }
      }
    )
    probe.letGo()
    let stage = Stage(delegate: first.value)
    first.letGo()
    _ = try await stage.runOnce()
    #expect(
      log.entries == [
        "first: willFinishLaunching [\"stage\"]", "first: didFinishLaunching [\"stage\"]",
        "first: didBecomeActive", "next: willResignActive", "next: willTerminate",
      ]
    )
    #expect(tally.live == 0)
  }

  @Test("Replacing the delegate from many threads loses and repeats no delegate")
  func replacedByThreads() async throws {
    final class Numbered: AppHostDelegate {
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    let stage = Stage(delegate: Numbered(-1))
    let returned = Log<Int>()
    let count = 10_000
    let gate = StartGate(2)
    await onThreads(2) { thread in
      for index in 0..<count {
        let new = Numbered(thread * count + index)
        gate.arriveAndWait()
        let former = stage.app.replaceDelegate(new)
        returned.append((former as? Numbered)?.number ?? -2)
      }
    }
    let last = (stage.app.delegate as? Numbered)?.number ?? -2
    let isComplete = (returned.entries + [last]).sorted() == Array(-1..<2 * count)
    #expect(isComplete)
  }

  @Test("App delegate slimming by notifications")
  func slimming() async throws {
    // Two features, in their own files elsewhere, follow the life of the application: the delegate
    // knows neither.
    final class Feature: LifetimeOwner, Sendable {
      let lifetime = Lifetime()
      let log: Log<String>

      init(_ name: String, _ bus: EventBus, _ log: Log<String>) {
        self.log = log
        bus.observe(.didFinishLaunching, owner: self) { feature, _ in
          feature.log.append("\(name) launches")
        }
        bus.observe(.didEnterBackground, owner: self) { feature, _ in
          feature.log.append("\(name) saves")
        }
        bus.observe(.willTerminate, owner: self) { feature, _ in
          feature.log.append("\(name) ends")
        }
      }
    }
    final class Slim: AppHostDelegate {}
    let stage = Stage(delegate: Slim())
    let mail = Feature("mail", stage.bus, stage.log)
    var chat: Feature? = Feature("chat", stage.bus, stage.log)
    // The task that reports a transition also reports the next one, possibly on another thread.
    let wasNotified = ManualLatch()
    let token = stage.bus.observe(.didEnterBackground, priority: .low) { wasNotified.open() }
    let running = stage.start()
    try await stage.app.waitUntil(state: .active)
    await stage.app.waitUntilSettled()
    stage.app.enterBackground()
    await wasNotified.wait()
    token.cancel()
    chat = nil
    stage.app.enterForeground()
    stage.app.shutdown()
    _ = try await running.value
    #expect(chat == nil)
    #expect(
      stage.log.entries == [
        "mail launches", "chat launches", "mail saves", "chat saves", "mail ends",
      ]
    )
    withExtendedLifetime(mail) {}
  }

  @Test("Custom application and delegate classes through the entry point")
  func entryPoint() async throws {
    // The role of `main`: it creates the delegate, wraps the application in a type of its own, and
    // runs it.
    final class Program: AppHostDelegate {
      let log: Log<String>
      let app: AppHost
      init(_ log: Log<String>) {
        self.log = log
        app = AppHost(bus: EventBus(), loader: LaunchLoader())
        app.replaceDelegate(self)
      }
      func applicationDidBecomeActive(_ app: AppHost) {
        log.append("active")
        app.shutdown(exitCode: 5)
      }
      static func main(_ log: Log<String>) async throws -> Int32 {
        let program = Program(log)
        // The application retains its delegate, so a delegate that retains its application must
        // release it.
        defer { program.app.replaceDelegate(nil) }
        return try await program.app.run()
      }
    }
    let log = Log<String>()
    #expect(try await Program.main(log) == 5)
    #expect(log.entries == ["active"])
  }
}
