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
    let running = try await stage.startUntilActive()
    await stage.app.waitUntilSettled()
    stage.app.enterBackground()
    stage.app.enterForeground()
    try await stage.stop(running)
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
    let count = rounds(10_000, debug: 500, sanitized: 500)
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
}
