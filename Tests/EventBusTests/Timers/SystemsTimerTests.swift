import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Established systems: timers", .timeLimit(.minutes(5)))
struct SystemsTimerTests {
  /// The state that a controller's timer updates.
  private actor Feed {
    private(set) var requests = 0

    func refresh() -> String {
      requests += 1
      return "news \(requests)"
    }
  }

  /// Keeps its timer, whose handler works on it: the cycle of the documents, which is none here.
  @MainActor
  private final class Controller: LifetimeOwner {
    let lifetime = Lifetime()
    private(set) var shown: [String] = []
    private(set) var updating: Token?
    nonisolated private let atDeinit: AtDeinit

    init(_ feed: Feed, _ clock: ManualClock, atDeinit: @escaping @Sendable () -> Void) {
      self.atDeinit = AtDeinit(atDeinit)
      updating = every(.seconds(120), owner: self, clock: clock) { controller, _ in
        controller.shown.append(await feed.refresh())
      }
    }

    func shutDown() { updating?.cancel() }
  }

  @Test("Timer and controller retain cycle; update task with a weak target and shutdown")
  @MainActor
  func retainCycleAndShutdown() async {
    let (feed, clock, freed) = (Feed(), ManualClock(), Counter())

    // The controller retains the timer, and the timer calls the controller, which still dies.
    var controller: Controller? = Controller(feed, clock) { freed.add() }
    await clock.advance(by: .seconds(240))
    #expect(controller?.shown == ["news 1", "news 2"])
    controller = nil
    #expect(freed.value == 1)
    await clock.advance(by: .seconds(240))
    #expect(await feed.requests == 2)
    #expect(clock.sleeperCount == 0)

    // Shut down, it is alive and not called any more.
    let other = Controller(feed, clock) { freed.add() }
    await clock.advance(by: .seconds(120))
    #expect(other.shown == ["news 3"])
    other.shutDown()
    await other.updating?.waitUntilFinished()
    await clock.advance(by: .seconds(240))
    #expect(other.shown == ["news 3"])
    #expect(clock.sleeperCount == 0)
  }

  /// A target that carries no lifetime: its timer ends at the next tick.
  @MainActor
  private final class Target {
    private(set) var updates = 0
    nonisolated private let atDeinit: AtDeinit

    init(atDeinit: @escaping @Sendable () -> Void) { self.atDeinit = AtDeinit(atDeinit) }

    func update() { updates += 1 }
  }

  @Test("The update task does not retain its target and ends once it finds it dead")
  @MainActor
  func weakTarget() async {
    let (clock, freed) = (ManualClock(), Counter())
    var target: Target? = Target { freed.add() }
    if let target {
      every(.seconds(1), owner: target, clock: clock) { target, _ in target.update() }
    }
    await clock.advance(by: .seconds(3))
    #expect(target?.updates == 3)
    target = nil
    #expect(freed.value == 1)
    await clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 0)
  }
}
