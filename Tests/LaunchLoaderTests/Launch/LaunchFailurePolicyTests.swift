import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Failure policies", .timeLimit(.minutes(5)))
struct LaunchFailurePolicyTests {
  let log = Log<String>()

  /// The report of a launch that has to fail.
  private func failure(of loader: LaunchLoader) async throws -> LaunchReport {
    guard case .failed(let report)? = await launchErrorCode({ try await loader.launch() }) else {
      Issue.record("The launch has to throw .failed.")
      return try await loader.report()
    }
    return report
  }

  @Test("Stop: no further work begins, running work is cancelled, and launch() throws the report")
  func stop() async throws {
    let loader = LaunchLoader(onFailure: .stop)
    loader.register("runs") { [log] _ in
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
    }
    loader.register("a", fileID: "App/A.swift", line: 3) { _ in throw Broken() }
    loader.register("b") { [log] _ in log.append("b") }
    loader.register("c", phase: .idle) { [log] _ in log.append("c") }
    let error = await #expect(throws: LaunchError.self) { try await loader.launch() }
    guard case .failed(let report)? = error?.code else {
      Issue.record("The launch has to throw .failed.")
      return
    }
    #expect(error?.description.contains("a (App/A.swift:3) failed: broken") == true)
    #expect(log.entries == ["cancelled: true"])
    #expect(
      report.summary == [
        "runs finished", "a failed: broken", "b skipped because of a", "c skipped because of a",
      ]
    )
    #expect(report.failures.map(\.id) == ["a"])
    #expect(try await loader.report().summary == report.summary, "There is a report all the same.")
    await #expect(throws: LaunchError.self, "A launch again throws the stored error.") {
      try await loader.launch()
    }
  }

  @Test("Stop and roll back: unorderable work throws before any work has run")
  func impossible() async throws {
    for policy in [LaunchFailurePolicy.stop, .rollback] {
      let cyclic = LaunchLoader(onFailure: policy)
      cyclic.register("free") { [log] _ in log.append("free") }
      cyclic.register("a", after: ["b"]) { _ in }
      cyclic.register("b", after: ["a"]) { _ in }
      #expect(await launchErrorCode { try await cyclic.launch() } == .cycle(["a", "b", "a"]))
      #expect(
        try await cyclic.report().summary == [
          "free skipped", "a skipped because of b", "b skipped because of a",
        ]
      )
      let lacking = LaunchLoader(onFailure: policy)
      lacking.register("free") { [log] _ in log.append("free") }
      lacking.register("a", after: ["nobody"]) { _ in }
      #expect(
        await launchErrorCode {
          try await lacking.launch()
        } == .unknown("nobody", neededBy: "a")
      )
    }
    #expect(log.entries.isEmpty)
  }

  @Test(
    "Stop and roll back: unorderable work that joins the launch stops it, and its fault is thrown",
    arguments: [LaunchFailurePolicy.stop, .rollback]
  )
  func impossibleWhileRunning(policy: LaunchFailurePolicy) async throws {
    let key = LaunchKey<Int>("value")
    let faults: [(LaunchError.Code, @Sendable (LaunchLoader) -> Void)] = [
      (.unknown("nobody", neededBy: "joins"), { $0.register("joins", after: ["nobody"]) { _ in } }),
      (.cycle(["joins", "joins"]), { $0.register("joins", after: ["joins"]) { _ in } }),
      (
        .mismatch("value", makes: "Int", needed: "String"),
        { $0.register("joins", needs: LaunchKey<String>("value")) { _, _ in } }
      ),
    ]
    for (code, join) in faults {
      let (loader, log) = (LaunchLoader(onFailure: policy), Log<String>())
      loader.register(key, undo: { _ in log.append("undo") }) { _ in 1 }
      loader.register("runs", after: ["value"]) { _ in
        join(loader)
        await ManualLatch().wait()
        log.append("cancelled: \(Task.isCancelled)")
        throw Broken()
      }
      loader.register("waits", after: ["runs"]) { _ in log.append("waits") }
      #expect(await launchErrorCode { try await loader.launch() } == code)
      #expect(log.entries == ["cancelled: true"] + (policy == .rollback ? ["undo"] : []))
      let report = try await loader.report()
      #expect(report.problems.map(\.code) == [code])
      let reason =
        if case .unknown(let id, _) = code { id } else {
          code == .cycle(["joins", "joins"]) ? "joins" : "value" as LaunchID
        }
      #expect(
        report.summary == [
          policy == .rollback ? "value undone" : "value finished", "runs failed: broken",
          "waits skipped because of joins", "joins skipped because of \(reason)",
        ]
      )
    }
  }

  @Test(
    "Stop and roll back: unorderable work that joins a cancelled launch leaves it cancelled",
    arguments: [LaunchFailurePolicy.stop, .rollback]
  )
  func impossibleAfterCancellation(policy: LaunchFailurePolicy) async throws {
    let (loader, hasBegun) = (LaunchLoader(onFailure: policy), ManualLatch())
    loader.register("runs") { _ in
      hasBegun.open()
      await ManualLatch().wait()
      loader.register("joins", after: ["nobody"]) { _ in }
    }
    let launch = Task { try await loader.launch() }
    await hasBegun.wait()
    launch.cancel()
    let report = try await launch.value
    #expect(report.problems.map(\.code) == [.unknown("nobody", neededBy: "joins")])
  }

  @Test("Continue: unorderable work that joins the launch is a problem in its report")
  func impossibleButContinuing() async throws {
    let loader = LaunchLoader()
    loader.register("first") { _ in loader.register("joins", after: ["nobody"]) { _ in } }
    loader.register("second") { [log] _ in log.append("second") }
    let report = try await loader.launch()
    #expect(report.problems.map(\.code) == [.unknown("nobody", neededBy: "joins")])
    #expect(log.entries == ["second"])
  }

  private struct First: LaunchWorker {
    static let id: LaunchID = "first"
    static let log = Log<String>()
    static let tally = Tally()
    private let probe = First.tally.probe()
    func launch(_ options: LaunchOptions) async throws { probe.touch() }
    func undo() async {
      await Task.yield()
      Self.log.append("undo first, cancelled: \(Task.isCancelled)")
    }
  }

  private struct Second: LaunchWorker {
    static let id: LaunchID = "second"
    static let dependencies: [LaunchID] = ["first"]
    func launch(_ options: LaunchOptions) async throws {}
    func undo() async { First.log.append("undo second") }
  }

  private struct Third: LaunchWorker {
    static let id: LaunchID = "third"
    static let dependencies: [LaunchID] = ["second"]
    func launch(_ options: LaunchOptions) async throws { throw Broken() }
    func undo() async { First.log.append("undo third") }
  }

  @Test("Roll back: finished work is undone in reverse order of completion, with all errors kept")
  func rollback() async throws {
    let loader = LaunchLoader(onFailure: .rollback)
    loader.register("also fails") { _ in
      await ManualLatch().wait()
      throw Broken()
    }
    loader.register(Third.self)
    loader.register(Second.self)
    let first = loader.register(First.self)
    loader.register("closure", after: ["second"]) { _ in }
    loader.register("another", phase: .early) { _ in }
    let report = try await failure(of: loader)
    #expect(First.log.entries == ["undo second", "undo first, cancelled: false"])
    #expect(First.tally.created == 1 && First.tally.live == 0, "The workers are let go of.")
    #expect(first.outcome?.description == "undone")
    #expect(
      report.summary.filter { !$0.hasPrefix("closure") } == [
        "also fails failed: broken", "third failed: broken", "second undone", "first undone",
        "another finished",
      ]
    )
    #expect(report.failures.map(\.id) == ["also fails", "third"])
  }

  private struct Asking: LaunchWorker {
    static let log = Log<String>()
    static let loader = LaunchLoader(onFailure: .rollback)
    func launch(_ options: LaunchOptions) async throws {}
    func undo() async {
      let code = await launchErrorCode { try await Self.loader.launch() }
      Self.log.append("\(String(describing: code))")
    }
  }

  @Test("Launching during a roll-back throws an error")
  func launchInUndo() async throws {
    Asking.loader.register(Asking.self)
    Asking.loader.register("fails", phase: .late) { _ in throw Broken() }
    _ = try await failure(of: Asking.loader)
    #expect(Asking.log.entries.count == 1)
    #expect(Asking.log.entries.first?.contains("reentrant") == true)
  }

  private struct Cancelled: LaunchWorker {
    static let log = Log<String>()
    func launch(_ options: LaunchOptions) async throws {}
    func undo() async { Self.log.append("undo, cancelled: \(Task.isCancelled)") }
  }

  @Test("A cancelled launch that fails is rolled back in a task that is not cancelled")
  func rollbackWhenCancelled() async throws {
    let loader = LaunchLoader(onFailure: .rollback)
    loader.register(Cancelled.self)
    loader.register("fails", phase: .late) { _ in
      cancelCurrentTask()
      throw Broken()
    }
    _ = try await Task { try await failure(of: loader) }.value
    #expect(Cancelled.log.entries == ["undo, cancelled: false"])
  }

  private struct Stubborn: LaunchWorker {
    static let id: LaunchID = "stubborn"
    static let isUndoing = ManualLatch()
    static let log = Log<String>()
    func launch(_ options: LaunchOptions) async throws {}
    func undo() async {
      Self.isUndoing.open()
      await ManualLatch().wait()
      Self.log.append("its wait was cancelled")
    }
  }

  @Test("A launch cancelled during its roll-back waits for the clean-up until its timeout")
  func cancelledWhileUndoing() async throws {
    let clock = ManualClock()
    let loader = LaunchLoader(onFailure: .rollback, timeout: .seconds(3), clock: clock)
    loader.register(Stubborn.self)
    loader.register("fails", phase: .late) { _ in throw Broken() }
    let hasEnded = ManualLatch()
    let launch = Task {
      defer { hasEnded.open() }
      return try await failure(of: loader)
    }
    await Stubborn.isUndoing.wait()
    await clock.waitForSleepers(atLeast: 2)
    launch.cancel()
    await rest()
    #expect(!hasEnded.isOpen && Stubborn.log.entries.isEmpty)
    await clock.jumpAtRest(by: .seconds(3))
    let report = try await launch.value
    #expect(report.summary == ["stubborn timed out", "fails failed: broken"])
    #expect(Stubborn.log.entries.isEmpty)
  }
}
