import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Service context", .timeLimit(.minutes(5)))
struct ServiceContextTests {
  let stage = Stage()

  /// What cancels a service.
  enum Cancellation: CaseIterable, Sendable {
    case run, anotherService, deadline, lateStart
  }

  @Test(
    "A cancelled service is asked to stop as well: flag, lifetime and closures; its waits throw",
    arguments: Cancellation.allCases
  )
  func cancelled(by cause: Cancellation) async throws {
    let stage = Stage(stopTimeout: .seconds(20))
    let log = stage.log
    let (isEntered, mayEnd) = (ManualLatch(), ManualLatch())
    var options = AppServiceOptions(reportsReadiness: cause == .lateStart)
    if cause == .lateStart { options.startTimeout = .seconds(20) }
    try stage.app.add("a", options: options) { context in
      let hasRun = ManualLatch()
      context.lifetime.onEnd { log.append("lifetime ended, \(context.isShuttingDown)") }
      context.onShutdown {
        log.append("closure, \(context.isShuttingDown)")
        hasRun.open()
      }
      isEntered.open()
      // The request of an orderly stop does not end it.
      await ManualLatch().wait()
      let throwsError = await isCancelled { try await context.waitUntilShutdown() }
      await waitStubbornly(hasRun)
      log.append("\(context.isShuttingDown), \(Task.isCancelled), \(throwsError)")
    }
    try stage.add("b", { $0.onReturn = .cancel }) { context in
      if cause == .anotherService { return await mayEnd.wait() }
      try await context.waitUntilShutdown()
    }
    let running = stage.start()
    await isEntered.wait()
    if cause != .lateStart { try await stage.app.waitUntil(state: .active) }
    switch cause {
    case .run: running.cancel()
    case .anotherService: mayEnd.open()
    case .deadline:
      stage.app.shutdown()
      await stage.letTimePass(.seconds(20))
    case .lateStart: await stage.letTimePass(.seconds(20))
    }
    _ = await running.result
    let seen = cause == .deadline ? log.entries.filter { $0 != "true, true, false" } : log.entries
    #expect(Array(seen.prefix(2)) == ["lifetime ended, true", "closure, true"])
    // After the deadline the request has come before the cancellation, so that its wait returns.
    #expect(log.entries.count == 3)
    if cause != .deadline { #expect(log.entries.last == "true, true, true") }
  }

  @Test("A closure registered late runs at once, and a cancelled closure does not run")
  func lateAndCancelled() async throws {
    let log = stage.log
    try stage.add("a") { context in
      let token = context.onShutdown { log.append("never") }
      let kept = context.onShutdown { log.append("early") }
      token.cancel()
      #expect(!token.isActive && kept.isActive)
      try await context.waitUntilShutdown()
      #expect(!kept.isActive)
      context.onShutdown { log.append("late") }
      log.append("end")
    }
    _ = try await stage.runOnce()
    #expect(log.entries == ["early", "late", "end"])
  }

  @Test(
    "A service that ends by itself ends its lifetime, runs no closure and leaves no task waiting"
  )
  func endedByItself() async throws {
    let log = stage.log
    let contexts = Inbox<AppServiceContext>()
    try stage.add("a", { $0.onReturn = .ignore }) { context in
      context.onShutdown { log.append("never") }
      context.lifetime.onEnd { log.append("lifetime ended, \(context.isShuttingDown)") }
      contexts.append(context)
    }
    try stage.add("b")
    let running = stage.start()
    let context = await contexts.first(1)[0]
    #expect(await isCancelled { try await context.waitUntilShutdown() })
    // A service asked to end while it starts does not start the rest.
    try await stage.app.waitUntil(state: .active)
    try await stage.stop(running)
    context.onShutdown { log.append("never") }
    context.markReady()
    #expect(!context.isShuttingDown)
    #expect(log.entries.filter { !$0.hasSuffix("b") } == ["lifetime ended, false"])
  }

  @Test("A closure registered while shutdown is being requested runs once, before the service ends")
  func registeredWhileRaising() async throws {
    for _ in 0..<rounds(500, debug: 60, sanitized: 100) {
      let (ran, contexts, isRegistered) = (Counter(), Inbox<AppServiceContext>(), ManualLatch())
      let run = try LoneService(
        ClosureService { context in
          context.onShutdown {
            // Registered by a closure, while the closures run.
            context.onShutdown { ran.add() }
          }
          contexts.append(context)
          context.markReady()
          await isRegistered.wait()
          try await context.waitUntilShutdown()
        },
        clock: ManualClock()
      )
      try await run.waitUntilReady()
      let context = await contexts.first(1)[0]
      let tokens = Log<Token>()
      await onThreads(2) { thread in
        if thread == 0 { return run.shutdown() }
        // The request comes before, between or after them.
        for _ in 0..<10 { tokens.append(context.onShutdown { ran.add() }) }
        isRegistered.open()
      }
      try await run.wait()
      #expect(ran.value == 11)
      #expect(tokens.entries.allSatisfy { !$0.isActive })
    }
  }
}
