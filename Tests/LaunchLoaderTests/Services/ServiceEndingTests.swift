import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Ends of single services", .timeLimit(.minutes(5)))
struct ServiceEndingTests {
  let stage = Stage()

  static let returnedEarly =
    "Service \"a\" returned before shutdown was requested."
    + " Set onReturn to .shutdown or .ignore if that is intended."

  @Test("A service that returns after a requested shutdown has not failed, whatever its turn")
  func returnsOutOfTurn() async throws {
    let hasReturned = ManualLatch()
    let mayReturn = ManualLatch()
    for name in ["early", "insisting"] {
      try stage.add(name, { if name == "insisting" { $0.onReturn = .cancel } }) { _ in
        await mayReturn.wait()
        hasReturned.open()
      }
    }
    let log = stage.log
    try stage.add("last") { context in
      try await context.waitUntilShutdown()
      mayReturn.open()
      await hasReturned.wait()
      await rest()
      log.append("cancelled: \(Task.isCancelled)")
    }
    #expect(try await stage.runOnce() == 0)
    #expect(log.entries == ["cancelled: false"])
  }

  @Test("The error of a run names the service that threw")
  func namesTheThrower() async throws {
    try stage.add("database", run: { _ in throw Failed(name: "connection") })
    let running = stage.start()
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    #expect(
      error?.description == "AppHost failed: Service \"database\" threw connection failed."
    )
  }

  /// Adds a service that notes how it was ended: by the shutdown or by cancellation.
  private func addWitness() throws {
    let log = stage.log
    try stage.add("witness") { context in
      do {
        try await context.waitUntilShutdown()
        log.append("stopped")
      } catch {
        log.append("cancelled")
        throw error
      }
    }
  }

  @Test(
    "A returning service affects the others according to its options",
    arguments: [
      (.fail, ["stopped"], [returnedEarly]), (.cancel, ["cancelled"], [returnedEarly]),
      (.shutdown, ["stopped"], []),
      (.ignore, ["stopped by hand"], []),
    ] as [(AppServiceOptions.EndPolicy, [String], [String])]
  )
  func returning(ending: AppServiceOptions.EndPolicy, log: [String], wanted: [String]) async throws
  {
    try addWitness()
    let mayReturn = ManualLatch()
    let hasReturned = ManualLatch()
    try stage.add("a", { $0.onReturn = ending }) { _ in
      await mayReturn.wait()
      hasReturned.open()
    }
    let running = try await stage.startUntilActive()
    mayReturn.open()
    await hasReturned.wait()
    if ending == .ignore {
      #expect(stage.app.state == .active)
      #expect(stage.log.entries.isEmpty)
      stage.log.append("stopped by hand")
      stage.app.shutdown()
    }
    #expect(await errors(of: running) == wanted)
    #expect(stage.log.entries.first == log.first)
  }

  @Test(
    "A throwing service affects the others according to its options",
    arguments: [
      (.fail, "stopped", ["a failed"]), (.cancel, "cancelled", ["a failed"]),
      (.shutdown, "stopped", ["a failed"]),
      (.ignore, "stopped", []),
    ] as [(AppServiceOptions.EndPolicy, String, [String])]
  )
  func throwing(ending: AppServiceOptions.EndPolicy, log: String, wanted: [String]) async throws {
    try addWitness()
    let failures = Inbox<String>()
    let token = stage.bus.observeFailures { failures.append("\($0): \($1)") }
    try stage.add("a", { $0.onThrow = ending }) { _ in throw Failed(name: "a") }
    let running = stage.start()
    #expect(await failures.first(1) == ["a: a failed"])
    if ending == .ignore {
      try await stage.app.waitUntil(state: .active)
      stage.app.shutdown()
    }
    #expect(await errors(of: running) == wanted)
    #expect(stage.log.entries == [log])
    token.cancel()
  }

  @Test("When all services have ended and been ignored, the application ends")
  func noneLeft() async throws {
    for name in ["a", "b"] { try stage.add(name, { $0.onReturn = .ignore }) { _ in } }
    #expect(try await stage.start().value == 0)
  }

  @Test("Every error is kept: the cause first, those of the shutdown next, ignored ones last")
  func allErrors() async throws {
    try stage.add("a", throwing: Failed(name: "a"))
    try stage.add("b", { $0.onThrow = .ignore }, throwing: Failed(name: "b"))
    try stage.add("c", throwing: Failed(name: "c"))
    try stage.add("d") { context in
      context.markReady()
      throw Failed(name: "d")
    }
    let running = stage.start()
    #expect(await errors(of: running) == ["d failed", "c failed", "a failed", "b failed"])
    #expect(stage.log.entries == ["+a", "+b", "+c", "-c", "-b", "-a"])
  }

  @Test("Cancelling the run cancels every service and makes it throw the cancellation")
  func cancellation() async throws {
    try addWitness()
    let running = try await stage.startUntilActive()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(stage.log.entries == ["cancelled"])
  }

  @Test("Errors caused by a cancellation are kept")
  func errorsOfCancellation() async throws {
    try stage.add("a") { context in
      do { try await context.waitUntilShutdown() } catch { throw Failed(name: "a") }
    }
    let running = try await stage.startUntilActive()
    running.cancel()
    #expect(await errors(of: running) == ["a failed"])
  }

  @Test("An ended service that stores its own context is released while the others continue")
  func releasedWithItsContext() async throws {
    let tally = Tally()
    try stage.add("witness")
    let running = try await stage.startUntilActive()
    for number in 0..<10 {
      let service = Keeping("\(number)", tally.probe())
      try stage.app.add(service, options: AppServiceOptions(onReturn: .ignore))
    }
    await until(tally.live == 0)
    #expect(tally.created == 10)
    try await stage.stop(running)
  }

  /// A service that keeps its context, with a closure and a hook that keep the service.
  private final class Keeping: AppService {
    let serviceName: String
    private let context = Holder<AppServiceContext>()
    private let probe: Tally.Probe

    init(_ name: String, _ probe: Tally.Probe) {
      serviceName = name
      self.probe = probe
    }

    func run(_ context: AppServiceContext) async throws {
      self.context.hold(context)
      context.onShutdown { self.probe.touch() }
      context.lifetime.onEnd { self.probe.touch() }
      await Task.yield()
    }
  }
}
