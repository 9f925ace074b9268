import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Service context", .timeLimit(.minutes(5)))
struct ServiceContextTests {
  let stage = Stage()

  @Test("Shutdown closures run once, in order, before waiting tasks resume")
  func order() async throws {
    let log = stage.log
    try stage.add("a") { context in
      for number in 1...3 {
        context.onShutdown { log.append("\(number) \(context.isShuttingDown)") }
      }
      log.append("\(context.isShuttingDown)")
      try await context.untilShutdown()
      log.append("goes on")
      try await context.untilShutdown()
    }
    _ = try await stage.runOnce()
    #expect(log.entries == ["false", "1 true", "2 true", "3 true", "goes on"])
  }

  @Test("A closure registered late runs at once, and a cancelled closure does not run")
  func lateAndCancelled() async throws {
    let log = stage.log
    try stage.add("a") { context in
      let token = context.onShutdown { log.append("never") }
      let kept = context.onShutdown { log.append("early") }
      token.cancel()
      #expect(!token.isActive && kept.isActive)
      try await context.untilShutdown()
      #expect(!kept.isActive)
      context.onShutdown { log.append("late") }
      log.append("end")
    }
    _ = try await stage.runOnce()
    #expect(log.entries == ["early", "late", "end"])
  }

  @Test("A shutdown closure may be tied to a lifetime")
  func lifetime() async throws {
    let log = stage.log
    try stage.add("a") { context in
      let lifetime = Lifetime()
      context.onShutdown { log.append("never") }.attach(to: lifetime)
      lifetime.end()
      try await context.untilShutdown()
    }
    _ = try await stage.runOnce()
    #expect(log.entries.isEmpty)
  }

  @Test("A service that ends by itself runs no shutdown closure and leaves no task waiting")
  func endedByItself() async throws {
    let log = stage.log
    let contexts = Inbox<ServiceContext>()
    try stage.add("a", { $0.onReturn = .ignore }) { context in
      context.onShutdown { log.append("never") }
      contexts.append(context)
    }
    try stage.add("b")
    let running = stage.start()
    let context = await contexts.first(1)[0]
    #expect(await isCancelled { try await context.untilShutdown() })
    // A service asked to end while it starts does not start the rest.
    try await stage.app.waitUntil(.active)
    stage.app.shutdown()
    _ = try await running.value
    context.onShutdown { log.append("never") }
    context.ready()
    #expect(!context.isShuttingDown)
    #expect(log.entries == ["+b", "-b"])
  }

  @Test("Waiting for the shutdown throws when the task is cancelled")
  func cancelledWait() async throws {
    let wasCancelled = Log<Bool>()
    try stage.add("a") { context in
      let waiting = Task { try await context.untilShutdown() }
      waiting.cancel()
      wasCancelled.append(await isCancelled { try await waiting.value })
      try await context.untilShutdown()
    }
    _ = try await stage.runOnce()
    #expect(wasCancelled.entries == [true])
  }

  @Test("A closure registered in the very moment of the request runs once, before the service ends")
  func registeredWhileRaising() async throws {
    for round in 0..<rounds(500, debug: 200, sanitized: 100) {
      let (ran, contexts, isRegistered) = (Counter(), Inbox<ServiceContext>(), ManualLatch())
      let run = ServiceRun(
        ClosureService { context in
          context.onShutdown {
            // Registered by a closure, while the closures run.
            context.onShutdown { ran.add() }
          }
          contexts.append(context)
          context.ready()
          await isRegistered.wait()
          try await context.untilShutdown()
        },
        clock: ManualClock()
      )
      try await run.untilReady()
      let context = await contexts.first(1)[0]
      let tokens = Log<Token>()
      await onThreads(2) { thread in
        for _ in 0..<(thread == 0 ? round % 13 : round % 11) { yieldThread() }
        if thread == 0 { return run.shutdown() }
        tokens.append(context.onShutdown { ran.add() })
        isRegistered.open()
      }
      try await run.wait()
      #expect(ran.value == 2)
      #expect(tokens.entries.allSatisfy { !$0.isActive })
    }
  }
}
