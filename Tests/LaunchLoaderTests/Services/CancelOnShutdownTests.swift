import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Work that a shutdown cancels", .timeLimit(.minutes(5)))
struct CancelOnShutdownTests {
  enum Context {
    @TaskLocal static var name = "none"
  }

  let log = Log<String>()

  /// Runs a service alone until it is ready, asks it to stop, and waits for its end.
  private func runAndStop(
    _ body: @escaping @Sendable (AppServiceContext) async throws -> Void
  ) async throws {
    let run = try LoneService(ClosureService("a", body), clock: ManualClock())
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
  }

  @Test("Work that ends before the shutdown returns its value or throws its error")
  func withoutShutdown() async throws {
    let run = try LoneService(
      ClosureService { context in
        let result = try await context.cancelOnShutdown { 7 }
        #expect(result == 7)
        await #expect(throws: Failed(name: "work")) {
          try await context.cancelOnShutdown { throw Failed(name: "work") }
        }
        await #expect(throws: CancellationError.self) {
          try await context.cancelOnShutdown { throw CancellationError() }
        }
        #expect(try await context.unlessShuttingDown { 7 } == 7)
        await #expect(throws: Failed(name: "work")) {
          _ = try await context.unlessShuttingDown { throw Failed(name: "work") }
        }
        await #expect(throws: CancellationError.self) {
          _ = try await context.unlessShuttingDown { throw CancellationError() }
        }
      },
      clock: ManualClock()
    )
    try await run.wait()
  }

  @Test("The shutdown ends a loop of work, and a service that rethrows the error has not failed")
  func loop() async throws {
    let stage = Stage(stopTimeout: .seconds(2))
    let body: @Sendable (AppServiceContext) async throws -> Void = { [log] context in
      for round in 0..<1_000 {
        try await context.cancelOnShutdown {
          context.markReady()
          await ManualLatch().wait()
          try Task.checkCancellation()
        }
        log.append("round \(round)")
      }
    }
    try stage.add("poller", { $0.reportsReadiness = true }, run: body)
    let failures = Log<String>()
    let token = stage.bus.observeFailures { name, _ in failures.append(name) }
    #expect(try await stage.runOnce() == 0)
    try await runAndStop(body)
    let group = AppServiceGroup("group")
    try group.add("poller", options: AppServiceOptions(reportsReadiness: true), run: body)
    let run = try LoneService(group, clock: ManualClock())
    try await run.waitUntilReady()
    run.shutdown()
    try await run.wait()
    #expect(log.entries.isEmpty && failures.entries.isEmpty)
    token.cancel()
  }

  @Test("A cancellation that a service throws before the shutdown is requested is a failure")
  func ownCancellation() async throws {
    let stage = Stage()
    try stage.add("a") { _ in throw CancellationError() }
    #expect(await errors(of: stage.start()) == ["CancellationError()"])
  }

  @Test("The shutdown cancels the work but not the service: the call throws, or returns nil")
  func cancelledByShutdown() async throws {
    try await runAndStop { [log] context in
      async let throwing = isCancelled {
        try await context.cancelOnShutdown {
          await ManualLatch().wait()
          try Task.checkCancellation()
        }
      }
      let result = try await context.unlessShuttingDown {
        context.markReady()
        await ManualLatch().wait()
        log.append("work, cancelled: \(Task.isCancelled)")
        try Task.checkCancellation()
        return 7
      }
      log.append("thrown: \(await throwing), result: \(String(describing: result))")
      log.append("service, cancelled: \(Task.isCancelled)")
    }
    #expect(
      log.entries == [
        "work, cancelled: true", "thrown: true, result: nil", "service, cancelled: false",
      ]
    )
  }

  @Test("After a shutdown the work still runs, cancelled from the beginning")
  func requestedBefore() async throws {
    try await runAndStop { [log] context in
      context.markReady()
      try await context.waitUntilShutdown()
      // Several at a time, so that no thread of the pool sleeps when the work of another begins.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<rounds(2_000, debug: 1_000, sanitized: 200) {
              let isCancelled = try await context.cancelOnShutdown { Task.isCancelled }
              if isCancelled != true { log.append("began uncancelled") }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(log.entries.isEmpty)
  }

  @Test("Work that ends with a value although it is cancelled returns the value")
  func valueAnyway() async throws {
    try await runAndStop { [log] context in
      let result = try await context.cancelOnShutdown {
        context.markReady()
        await ManualLatch().wait()
        return Task.isCancelled
      }
      let optional = try await context.unlessShuttingDown { Task.isCancelled }
      log.append("\(result), \(String(describing: optional))")
    }
    #expect(log.entries == ["true, Optional(true)"])
  }

  @Test("Another error than a cancellation is thrown although the shutdown cancelled the work")
  func errorAnyway() async throws {
    let run = try LoneService(
      ClosureService { context in
        try await context.cancelOnShutdown {
          context.markReady()
          await ManualLatch().wait()
          throw Failed(name: "work")
        }
      },
      clock: ManualClock()
    )
    try await run.waitUntilReady()
    run.shutdown()
    await #expect(throws: Failed(name: "work")) { try await run.wait() }
  }

  @Test("Cancelling the caller cancels the work, and the call throws", arguments: [true, false])
  func cancelledCaller(isEarly: Bool) async throws {
    try await runAndStop { [log] context in
      let isWorking = ManualLatch()
      let calling = Task {
        if isEarly { cancelCurrentTask() }
        _ = try await context.unlessShuttingDown {
          if isEarly { log.append("began cancelled: \(Task.isCancelled)") }
          isWorking.open()
          await ManualLatch().wait()
          try Task.checkCancellation()
        }
      }
      await isWorking.wait()
      calling.cancel()
      log.append("thrown: \(await isCancelled { try await calling.value })")
      context.markReady()
      try await context.waitUntilShutdown()
    }
    #expect(log.entries == (isEarly ? ["began cancelled: true"] : []) + ["thrown: true"])
  }

  @Test("Work that outlasts its service is cancelled, and the call throws")
  func outlasting() async throws {
    let calls = Inbox<Task<Void, any Error>>()
    let run = try LoneService(
      ClosureService { context in
        let isWorking = ManualLatch()
        calls.append(
          Task {
            try await context.cancelOnShutdown {
              isWorking.open()
              await ManualLatch().wait()
              try Task.checkCancellation()
            }
          }
        )
        await isWorking.wait()
      },
      clock: ManualClock()
    )
    try await run.wait()
    let call = await calls.first(1)[0]
    #expect(await isCancelled { try await call.value })
  }

  @Test(
    "The work keeps the isolation of the actor that calls, its priority and its task-local values"
  )
  func isolation() async throws {
    try await runAndStop { [log] context in
      let server = Server()
      try await Context.$name.withValue("web") { try await server.serve(context) }
      log.append("\(await server.steps)")
      let view = View()
      try await view.work(context)
      log.append("\(await view.steps)")
    }
    #expect(log.entries == ["[\"work web\", \"end\"]", "[\"work\", \"end\"]"])
  }

  @MainActor
  private final class View {
    var steps: [String] = []

    func work(_ context: AppServiceContext) async throws {
      try await context.cancelOnShutdown {
        self.steps.append("work")
        await Task.yield()
        MainActor.assertIsolated()
      }
      MainActor.assertIsolated()
      steps.append("end")
    }
  }

  private actor Server {
    var steps: [String] = []

    func serve(_ context: AppServiceContext) async throws {
      _ = try await context.unlessShuttingDown {
        self.steps.append("work \(Context.name)")
        context.markReady()
        await ManualLatch().wait()
        self.assertIsolated()
        try Task.checkCancellation()
      }
      assertIsolated()
      steps.append("end")
    }
  }

  @Test("Work that has ended is released while its service continues")
  func released() async throws {
    let tally = Tally()
    try await runAndStop { context in
      for _ in 0..<100 {
        // A task keeps its result.
        _ = try await context.cancelOnShutdown { tally.probe() }
      }
      await until(tally.live == 0)
      context.markReady()
      try await context.waitUntilShutdown()
    }
    #expect(tally.created == 100)
  }

  @Test("Work that begins while the shutdown is requested on another thread is always cancelled")
  func beginningAgainstShutdown() async throws {
    for round in 0..<rounds(500, debug: 60, sanitized: 100) {
      let mayStop = ManualLatch()
      let run = try LoneService(
        ClosureService { context in
          mayStop.open()
          if round % 2 == 0 { await Task.yield() }
          let result: Void? = try await context.unlessShuttingDown {
            await ManualLatch().wait()
            try Task.checkCancellation()
          }
          #expect(result == nil)
        },
        clock: ManualClock()
      )
      await onThreads(1) { _ in
        mayStop.block()
        run.shutdown()
      }
      try await run.wait()
    }
  }
}
