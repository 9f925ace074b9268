import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension ProcessSignalTests {
  @Suite("Interrupts of an application", .timeLimit(.minutes(5)))
  struct InterruptTests {
    /// How interrupts arrive.
    enum Way: CaseIterable, Sendable { case calls, signals }

    /// Interrupts, each with the time since the last one.
    typealias Arrivals = [(signal: UnixSignal, after: Duration)]

    /// An application whose only service saves, which takes until the latch opens.
    private func stage(saving mayEnd: ManualLatch) throws -> Stage {
      let stage = Stage(signals: UnixSignal.Meaning.standard)
      try stage.add("saving") { [log = stage.log] context in
        try await context.waitUntilShutdown()
        await mayEnd.wait()
        log.append(Task.isCancelled ? "cut short" : "saved")
      }
      return stage
    }

    /// Lets interrupts arrive, one after the other.
    private func interrupt(_ stage: Stage, _ arrivals: Arrivals, _ way: Way) async {
      for (signal, pause) in arrivals {
        await stage.clock.jumpAtRest(by: pause)
        switch way {
        case .calls: stage.app.interrupt(signal.rawValue)
        case .signals: UnixSignal.inject(signal)
        }
        await rest()
      }
    }

    private static let twins: [Arrivals] = [
      [(.interrupt, .zero), (.interrupt, .zero)],
      [(.terminate, .zero), (.terminate, .milliseconds(499))],
      [(.interrupt, .zero), (.terminate, .milliseconds(300))],
      [(.terminate, .seconds(7)), (.interrupt, .milliseconds(5))],
    ]

    @Test(
      "An interrupt less than half a second after the last one counts as the same",
      arguments: twins.indices,
      Way.allCases
    )
    func sameInterrupt(index: Int, way: Way) async throws {
      let mayEnd = ManualLatch()
      let stage = try stage(saving: mayEnd)
      let running = try await stage.startUntilActive()
      await interrupt(stage, Self.twins[index], way)
      mayEnd.open()
      #expect(try await running.value == 0)
      #expect(stage.log.entries == ["saved"])
    }

    @Test(
      "An interrupt half a second after the last one, or later, cancels everything",
      arguments: [Duration.milliseconds(500), .seconds(3)],
      Way.allCases
    )
    func nextInterrupt(pause: Duration, way: Way) async throws {
      let mayEnd = ManualLatch()
      let stage = try stage(saving: mayEnd)
      let running = try await stage.startUntilActive()
      await interrupt(stage, [(.terminate, .zero), (.interrupt, pause)], way)
      #expect(try await running.value == 130)
      #expect(stage.log.entries == ["cut short"])
      mayEnd.open()
    }

    @Test("A request of the program itself does not make the next interrupt the same")
    func requestOfTheProgram() async throws {
      let mayEnd = ManualLatch()
      let stage = try stage(saving: mayEnd)
      let running = try await stage.startUntilActive()
      stage.app.shutdown()
      await interrupt(stage, [(.terminate, .zero), (.terminate, .milliseconds(500))], .calls)
      // The request has set the exit code.
      #expect(try await running.value == 0)
      #expect(stage.log.entries == ["cut short"])
      mayEnd.open()
    }

    @Test("Reloads are not interrupts: each signal that follows a finished reload causes another")
    func reloads() async throws {
      let stage = Stage(signals: UnixSignal.Meaning.standard)
      let token = stage.bus.observe(.appShouldReload) { [log = stage.log] in log.append("reload") }
      try stage.add("a")
      let running = try await stage.startUntilActive()
      for _ in 0..<3 {
        UnixSignal.inject(.hangup)
        await rest()
      }
      #expect(try await stage.stop(running) == 0)
      #expect(stage.log.entries == ["+a", "reload", "reload", "reload", "-a"])
      token.cancel()
    }
  }
}
