import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension LaunchKeys {
  fileprivate static let number = LaunchKey<Int>("number")
  fileprivate static let text = LaunchKey<String>("text")
}

@Suite("Waiting for launch values", .timeLimit(.minutes(5)))
struct ValueWaitTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  /// Returns the outcome in the error that a wait for a value throws, as text.
  private func noValue(_ body: () async throws -> some Any) async -> String? {
    guard case .noValue(let id, let outcome)? = await launchErrorCode(body) else { return nil }
    return "\(id) \(outcome?.description ?? "nothing")"
  }

  @Test(
    "Callers receive a value before, during and after the launch, and while they already waited"
  )
  func waiting() async throws {
    let mayEnd = ManualLatch()
    loader.register(.number) { _ in
      await mayEnd.wait()
      return 1
    }
    let early = Task { try await loader.value(of: .number) }
    await rest()
    let launch = Task { try await loader.launch() }
    let during = Task { try await loader.value(of: .number) }
    await rest()
    mayEnd.open()
    #expect(try await early.value == 1)
    #expect(try await during.value == 1)
    _ = try await launch.value
    #expect(try await loader.value(of: .number) == 1)
  }

  @Test("A value is there as soon as its maker has finished, before the launch ends")
  func beforeTheEnd() async throws {
    let mayEnd = ManualLatch()
    loader.register(.number) { _ in 1 }
    loader.register("long") { _ in await mayEnd.wait() }
    let launch = Task { try await loader.launch() }
    #expect(try await loader.value(of: .number) == 1)
    mayEnd.open()
    _ = try await launch.value
  }

  @Test("A caller may wait for a maker that is registered later, even during the launch")
  func registeredLater() async throws {
    let mayRegister = ManualLatch()
    let waits = (0..<2).map { _ in Task { try await loader.value(of: .number) } }
    await rest()
    loader.register("other") { [loader] _ in
      await mayRegister.wait()
      loader.register(.number) { _ in 2 }
    }
    let launch = Task { try await loader.launch() }
    await rest()
    mayRegister.open()
    for wait in waits { #expect(try await wait.value == 2) }
    _ = try await launch.value
  }

  @Test("The wait throws an error that names the key when the launch ends without the value")
  func launchEnds() async throws {
    let waits = [LaunchKeys.number, LaunchKey<Int>("failing")].map { key in
      Task { await noValue { try await loader.value(of: key) } }
    }
    await rest()
    loader.register(LaunchKey<Int>("failing")) { _ in throw Broken() }
    try await loader.launch()
    #expect(await waits[0].value == "number nothing")
    #expect(await waits[1].value == "failing failed: broken")
    #expect(await noValue { try await loader.value(of: .number) } == "number nothing")
    let failing = LaunchKey<Int>("failing")
    #expect(await noValue { try await loader.value(of: failing) } == "failing failed: broken")
  }

  @Test("A loader that is stopped before it launches ends the waits")
  func stopped() async throws {
    loader.register(.number) { _ in 1 }
    let waits = [
      Task { await noValue { try await loader.value(of: .number) } },
      Task { await noValue { try await loader.value(of: .text) } },
    ]
    await rest()
    loader.stop()
    #expect(await waits[0].value == "number refused")
    #expect(await waits[1].value == "text nothing")
  }

  @Test("When a maker is withdrawn, the wait continues until another makes the value")
  func withdrawn() async throws {
    let first = loader.register(.number) { _ in 1 }
    let wait = Task { try await loader.value(of: .number) }
    await rest()
    #expect(first.cancel())
    await rest()
    loader.register(.number) { _ in 2 }
    try await loader.launch()
    #expect(try await wait.value == 2)
  }

  @Test("The wait ends at once when its task is cancelled")
  func cancelled() async throws {
    loader.register(.number) { _ in 1 }
    let waits = [
      Task { await isCancelled { try await loader.value(of: .number) } },
      Task { await isCancelled { try await loader.value(of: .text) } },
    ]
    await rest()
    for wait in waits {
      wait.cancel()
      #expect(await wait.value)
    }
    try await loader.launch()
    let late = Task {
      cancelCurrentTask()
      return try await loader.value(of: .number)
    }
    #expect(try await late.value == 1, "A value that is there is returned.")
  }

  @Test("A cancelled wait for a value without a maker leaves nothing behind")
  func cancelledForNobody() async throws {
    let waits = (0..<100).map { number in
      Task { await isCancelled { try await loader.value(of: LaunchKey<Int>("nobody \(number)")) } }
    }
    let others = (0..<2).map { _ in
      Task { await isCancelled { try await loader.value(of: .text) } }
    }
    let waiting = Task { try await loader.value(of: .text) }
    await until(loader.awaitedCount == 103)
    for wait in waits + others { wait.cancel() }
    for wait in waits + others { #expect(await wait.value) }
    #expect(loader.awaitedCount == 1)
    loader.register(.text) { _ in "made" }
    #expect(loader.awaitedCount == 0)
    try await loader.launch()
    #expect(try await waiting.value == "made")
  }

  @Test("A registration resumes the callers that wait for its name, and no others")
  func otherName() async throws {
    let number = Task { try await loader.value(of: .number) }
    let texts = (0..<2).map { _ in Task { try await loader.value(of: .text) } }
    await until(loader.awaitedCount == 3)
    loader.register("other") { _ in }
    #expect(loader.awaitedCount == 3)
    loader.register(.text) { _ in "made" }
    #expect(loader.awaitedCount == 1)
    loader.register(.number) { _ in 1 }
    #expect(loader.awaitedCount == 0)
    try await loader.launch()
    #expect(try await number.value == 1)
    for text in texts { #expect(try await text.value == "made") }
  }

  @Test("In a worker, and in tasks it starts, only a value that is there is returned")
  func reentrant() async throws {
    loader.register(.number) { _ in 1 }
    loader.register("asks", after: ["number"]) { [loader, log] _ in
      log.append("\(try await loader.value(of: .number))")
      for key in [LaunchKeys.text, LaunchKey("unregistered")] {
        let code = await launchErrorCode { try await loader.value(of: key) }
        log.append("\(String(describing: code))")
        let child = Task { await launchErrorCode { try await loader.value(of: key) } }
        log.append("\(String(describing: await child.value))")
      }
      #expect(loader.awaitedCount == 0, "Callers that are refused do not count as waiting.")
    }
    loader.register(.text, after: ["asks"]) { _ in "" }
    try await loader.launch()
    #expect(log.entries.count == 5 && log.entries.first == "1")
    #expect(log.entries.dropFirst().allSatisfy { $0.contains("reentrant") })
  }

  @Test("A worker of one loader may wait for a value of another")
  func anotherLoader() async throws {
    let other = LaunchLoader()
    other.register(.number) { _ in 3 }
    loader.register("asks") { [log] _ in
      async let value = other.value(of: .number)
      try await other.launch()
      log.append("\(try await value)")
    }
    let report = try await loader.launch()
    #expect(report.failures.isEmpty && log.entries == ["3"])
  }

  @Test("Callers that wait from many threads all receive the value")
  func contention() async throws {
    for round in 0..<TestSupport.rounds(200, debug: 60, sanitized: 20) {
      let loader = LaunchLoader()
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<6 { group.addTask { try await loader.value(of: .number) } }
        group.addTask {
          await Task.yield()
          loader.register(.number) { _ in
            await Task.yield()
            return round
          }
          try await loader.launch()
          return round
        }
        for try await value in group { #expect(value == round) }
      }
    }
  }
}

@Suite("Configuring a loader")
struct ConfigurationTests {
  private func configure(
    _ loader: LaunchLoader,
    onFailure policy: LaunchFailurePolicy? = nil,
    timeout: Duration? = nil,
    clock: (any Clock<Duration>)? = nil
  ) throws(LaunchError) {
    try loader.configure(onFailure: policy, timeout: timeout, clock: clock)
  }

  @Test("Until the launch, configuring changes only the given parameters")
  func configure() async throws {
    let clock = ManualClock()
    let loader = LaunchLoader(width: 1)
    try configure(loader, onFailure: .stop)
    try configure(loader, clock: clock)
    try configure(loader, timeout: .seconds(5))
    let (hasBegun, mayEnd) = (ManualLatch(), ManualLatch())
    loader.register("a") { _ in
      hasBegun.open()
      await mayEnd.wait()
    }
    let second = loader.register("b") { _ in await Task.yield() }
    let launch = Task { await launchErrorCode { try await loader.launch() } }
    await hasBegun.wait()
    await clock.waitForSleepers(atLeast: 1)
    #expect(second.outcome == nil)
    await clock.jumpAtRest(by: .seconds(5))
    guard case .failed(let report)? = await launch.value else {
      Issue.record("The launch has to fail: its policy is to stop.")
      return
    }
    mayEnd.open()
    #expect(report.summary == ["a timed out", "b skipped"])
    #expect(report.total == .seconds(5))
  }

  @Test("Once it has launched, or was stopped, configuring throws and changes nothing")
  func tooLate() async throws {
    let loader = LaunchLoader()
    loader.register("a") { [loader] _ in
      try loader.configure(onFailure: .stop, timeout: nil, clock: nil)
    }
    let report = try await loader.launch()
    #expect(report.failures.map(\.id) == ["a"])
    #expect(await launchErrorCode { try configure(loader, timeout: .seconds(1)) } == .alreadyRan)
    let stopped = LaunchLoader()
    stopped.stop()
    #expect(await launchErrorCode { try configure(stopped, timeout: .seconds(1)) } == .stopped)
  }

  @Test("The shared loader can be configured before it launches")
  func shared() throws {
    try LaunchLoader.configure()
    try LaunchLoader.configure(onFailure: .continue)
  }
}
