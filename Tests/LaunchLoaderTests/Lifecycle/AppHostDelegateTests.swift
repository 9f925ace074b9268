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
    stage.app.report(.background)
    stage.app.enteredForeground()
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
    stage.app.delegate = Owned()
    #expect(first == nil)
    weak let second = stage.app.delegate
    stage.app.delegate = nil
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
        if edge == "didBecomeActive" { app.delegate = next }
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

  @Test("Setting the delegate from many threads keeps the last one and releases the others once")
  func setByThreads() async throws {
    final class Probed: AppHostDelegate {
      private let probe: Tally.Probe
      init(_ probe: Tally.Probe) { self.probe = probe }
    }
    let tally = Tally()
    let stage = Stage(delegate: Probed(tally.probe()))
    let count = rounds(10_000, debug: 500, sanitized: 500)
    let gate = StartGate(2)
    await onThreads(2) { _ in
      for _ in 0..<count {
        let new = Probed(tally.probe())
        gate.arriveAndWait()
        stage.app.delegate = new
      }
    }
    #expect((tally.live, tally.freed) == (1, 2 * count))
    stage.app.delegate = nil
    #expect((tally.live, tally.freed) == (0, 2 * count + 1))
  }
}
