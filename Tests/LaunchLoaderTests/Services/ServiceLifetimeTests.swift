import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Lifetime of a service", .timeLimit(.minutes(5)))
struct ServiceLifetimeTests {
  let log = Log<String>()

  @Test(
    "The stop ends tokens of the lifetime, then runs the closures, then resumes tasks"
  )
  func order() async throws {
    let run = try LoneService(
      ClosureService { [log] context in
        context.onShutdown { log.append("closure 1, ended: \(context.lifetime.hasEnded)") }
        context.lifetime.onEnd { log.append("hook 1, asked: \(context.isShuttingDown)") }
        context.onShutdown { log.append("closure 2") }
        context.lifetime.onEnd { log.append("hook 2") }
        log.append("ended: \(context.lifetime.hasEnded)")
        context.markReady()
        try await context.waitUntilShutdown()
        log.append("goes on")
        context.lifetime.onEnd { log.append("late") }
      },
      clock: ManualClock()
    )
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
    #expect(
      log.entries == [
        "ended: false", "hook 1, asked: true", "hook 2", "closure 1, ended: true", "closure 2",
        "goes on", "late",
      ]
    )
  }

  @Test("The lifetime of a service lasts until its own turn to stop")
  func ownTurn() async throws {
    let stage = Stage()
    let lifetimes = Inbox<Lifetime>()
    try stage.add("a") { context in
      lifetimes.append(context.lifetime)
      try await context.waitUntilShutdown()
    }
    let log = stage.log
    try stage.add("b") { context in
      try await context.waitUntilShutdown()
      let ofA = await lifetimes.first(1)[0]
      log.append("b has ended: \(context.lifetime.hasEnded), a: \(ofA.hasEnded)")
    }
    _ = try await stage.runOnce()
    #expect(log.entries == ["b has ended: true, a: false"])
    #expect(lifetimes.entries.allSatisfy { $0.hasEnded })
  }

  @Test("A service that ends its lifetime itself ends only the tokens attached to it")
  func endedByHand() async throws {
    let run = try LoneService(
      ClosureService { [log] context in
        context.lifetime.onEnd { log.append("hook") }
        context.onShutdown { log.append("closure") }
        context.lifetime.end()
        #expect(!context.isShuttingDown)
        context.markReady()
        try await context.cancelOnShutdown {
          log.append("cancelled: \(Task.isCancelled)")
          try await context.waitUntilShutdown()
        }
        #expect(context.isShuttingDown)
      },
      clock: ManualClock()
    )
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
    #expect(log.entries == ["hook", "cancelled: false", "closure"])
  }

  @Test("The lifetime of a service that never ran ends with its signal")
  func neverRun() {
    var signal: ServiceAttempt? = ServiceAttempt()
    let lifetime = signal?.lifetime
    lifetime?.onEnd { [log] in log.append("ended") }
    #expect(lifetime?.hasEnded == false)
    signal = nil
    #expect(lifetime?.hasEnded == true)
    #expect(log.entries == ["ended"])
  }
}
