import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension LaunchKeys {
  fileprivate static let first = LaunchKey<Resource>("first")
  fileprivate static let second = LaunchKey<Resource>("second")
}

/// A value whose life is observed.
private final class Resource: Sendable {
  let name: String
  private let probe: AtDeinit

  init(_ name: String, _ atDeinit: @escaping @Sendable () -> Void) {
    self.name = name
    probe = AtDeinit(atDeinit)
  }
}

@Suite("Lives of launch values", .timeLimit(.minutes(5)))
struct LaunchValueLifeTests {
  let log = Log<String>()

  private func resource(_ name: String) -> Resource {
    Resource(name) { [log] in log.append("\(name) freed") }
  }

  @Test("A value that is there is returned without leaving the actor")
  @MainActor
  func immediateValue() async throws {
    let loader = LaunchLoader()
    loader.register(.first) { [self] _ in resource("first") }
    try await loader.launch()
    let others = Log<String>()
    let other = Task { @MainActor in others.append("ran") }
    _ = try await loader.value(of: .first)
    #expect(others.entries.isEmpty)
    await other.value
  }

  @Test("A value lives as long as its loader, whatever keeps the registration or the report")
  func lifeOfALoader() async throws {
    var loader: LaunchLoader? = LaunchLoader()
    let token = loader?.register(.first) { [self] _ in resource("first") }
    let report = try await loader?.launch()
    #expect(log.entries.isEmpty)
    #expect(try await loader?.value(of: .first).name == "first")
    loader = nil
    #expect(log.entries == ["first freed"])
    #expect(token?.outcome?.description == "finished" && report?.entries.count == 1)
  }

  @Test("A rollback undoes values in reverse order of completion, and releases them without a lock")
  func rollback() async throws {
    let loader = LaunchLoader(onFailure: .rollback)
    loader.register(.second, needs: .first, undo: { [log] in log.append("undo \($0.name)") }) {
      [loader, log] _, first in
      await Task.yield()
      // The released object uses the loader, which would trap under its lock.
      return Resource("second of \(first.name)") {
        _ = try? loader.plan()
        log.append("second freed")
      }
    }
    let first = loader.register(.first, undo: { [log] in log.append("undo \($0.name)") }) {
      [self] _ in resource("first")
    }
    loader.register("fails", needs: .second, phase: .late) { _, _ in throw Broken() }
    let code = await launchErrorCode { try await loader.launch() }
    guard case .failed(let report)? = code else {
      Issue.record("\(String(describing: code))")
      return
    }
    #expect(report.summary == ["second undone", "first undone", "fails failed: broken"])
    #expect(first.outcome?.description == "undone")
    #expect(
      log.entries.filter { $0.hasPrefix("undo") } == ["undo second of first", "undo first"]
    )
    #expect(Set(log.entries).isSuperset(of: ["first freed", "second freed"]))
    #expect(
      await launchErrorCode {
        try await loader.value(of: .first)
      } == .noValue("first", .undone)
    )
  }

  @Test(
    "What a clean-up has cleaned up is released before the next clean-up begins",
    arguments: [true, false]
  )
  func releaseInOrder(undoes: Bool) async throws {
    for _ in 0..<100 {
      let log = Log<String>()
      let loader = LaunchLoader(onFailure: undoes ? .rollback : .continue)
      loader.register(
        .first,
        undo: { [log] in log.append("undo \($0.name)") },
        close: { [log] in log.append("close \($0.name)") }
      ) { _ in Resource("first") { log.append("first freed") } }
      loader.register(.second, needs: .first, close: { _ in }) { _, _ in
        Resource("second") { log.append("second freed") }
      }
      if undoes { loader.register("fails", needs: .second) { _, _ in throw Broken() } }
      _ = try? await loader.launch()
      await loader.closeValues(within: nil, on: ContinuousClock()) { _, _ in }
      #expect(
        log.entries == ["second freed", undoes ? "undo first" : "close first", "first freed"]
      )
    }
  }

  @Test(
    "Without a failure, and with other policies, nothing is undone, and the closures are released"
  )
  func nothingToUndo() async throws {
    for policy in [LaunchFailurePolicy.rollback, .stop, .continue] {
      for fails in [false, true] where policy != .rollback || !fails {
        let tally = Tally()
        let loader = LaunchLoader(onFailure: policy)
        let token = loader.register(
          .first,
          undo: { [log, probe = tally.probe()] _ in
            probe.touch()
            log.append("undone")
          }
        ) { [self] _ in resource("first") }
        let later = loader.register(
          .second,
          undo: { [log, probe = tally.probe()] _ in
            probe.touch()
            log.append("undone")
          }
        ) { [self] _ in
          await Task.yield()
          return resource("second")
        }
        loader.register("end", phase: .late) { _ in if fails { throw Broken() } }
        _ = try? await loader.launch()
        #expect(tally.created == 2 && tally.live == 0, "\(policy) \(fails)")
        #expect(token.outcome?.description == "finished")
        #expect(later.outcome?.description == "finished")
        #expect(try await loader.value(of: .first).name == "first")
      }
    }
    #expect(!log.entries.contains("undone"))
  }

  @Test("The closure that would undo late work is released when the work has run")
  func lateUndo() async throws {
    let tally = Tally()
    let loader = LaunchLoader(onFailure: .rollback)
    try await loader.launch()
    let token = loader.register(.first, undo: { [probe = tally.probe()] _ in probe.touch() }) {
      [self] _ in resource("first")
    }
    #expect(token.outcome?.description == "finished" && tally.created == 1 && tally.live == 0)
    #expect(try await loader.value(of: .first).name == "first")
  }

  @Test("Work that fails or is skipped in a roll-back is not undone, and its closures are released")
  func unfinishedIsNotUndone() async throws {
    let tally = Tally()
    let loader = LaunchLoader(onFailure: .rollback)
    for (key, fails) in [(LaunchKeys.first, true), (.second, false)] {
      loader.register(
        key,
        after: fails ? [] : ["first"],
        undo: { [log, probe = tally.probe()] _ in
          probe.touch()
          log.append("undone")
        }
      ) { [self] _ in
        if fails { throw Broken() }
        return resource("second")
      }
    }
    _ = try? await loader.launch()
    #expect(log.entries.isEmpty && tally.live == 0)
  }

  @Test("A clean-up that exceeds the time limit is abandoned, and others cannot read its value")
  func undoTimesOut() async throws {
    let clock = ManualClock()
    let isUndoing = ManualLatch()
    let mayEnd = ManualLatch()
    let loader = LaunchLoader(onFailure: .rollback, timeout: .seconds(3), clock: clock)
    loader.register(
      .first,
      undo: { _ in
        isUndoing.open()
        await mayEnd.wait()
      }
    ) { [self] _ in resource("first") }
    loader.register("fails", phase: .late) { _ in throw Broken() }
    async let code = launchErrorCode { try await loader.launch() }
    await isUndoing.wait()
    await clock.waitForSleepers(atLeast: 2)
    await clock.jumpAtRest(by: .seconds(3))
    guard case .failed(let report)? = await code else {
      Issue.record("The launch has to fail.")
      return
    }
    #expect(report.summary == ["first timed out", "fails failed: broken"])
    guard case .noValue? = await launchErrorCode({ try await loader.value(of: .first) }) else {
      Issue.record("The value is being undone.")
      return
    }
    mayEnd.open()
  }

  @Test("The result of a maker after its time limit is released, and is not a value")
  func tooLate() async throws {
    let clock = ManualClock()
    let mayEnd = ManualLatch()
    let hasBegun = ManualLatch()
    let isFreed = ManualLatch()
    let loader = LaunchLoader(clock: clock)
    loader.register(.first, timeout: .seconds(1)) { _ in
      hasBegun.open()
      await Task { await mayEnd.wait() }.value
      return Resource("first") { isFreed.open() }
    }
    loader.register(.second, timeout: .seconds(1)) { [log] _ in
      clock.jump(by: .seconds(2))
      return Resource("second") { log.append("second freed") }
    }
    let needy = loader.register("needy", needs: .second) { [log] _, _ in log.append("ran") }
    let launch = Task { try await loader.launch() }
    await hasBegun.wait()
    let report = try await launch.value
    #expect(
      report.summary == ["first timed out", "second timed out", "needy skipped because of second"]
    )
    #expect(needy.outcome != nil && log.entries == ["second freed"])
    mayEnd.open()
    await isFreed.wait()
    #expect(
      await launchErrorCode {
        try await loader.value(of: .first)
      } == .noValue("first", .timedOut)
    )
  }

  @Test("A roll-back releases the values that were made from undone ones, and no others")
  func rollbackOfDerivedValues() async throws {
    let loader = LaunchLoader(onFailure: .rollback)
    let derived = LaunchKey<Resource>("derived")
    let twice = LaunchKey<Resource>("twice")
    let free = LaunchKey<Resource>("free")
    loader.register(.first, undo: { [log] _ in log.append("undo first") }) { [self] _ in
      resource("first")
    }
    let token = loader.register(derived, needs: .first) { [self] _, _ in resource("derived") }
    loader.register(twice, needs: derived) { [self] _, _ in
      await Task.yield()
      return resource("twice")
    }
    loader.register(free, after: ["first"]) { [self] _ in resource("free") }
    loader.register("uses", needs: derived) { _, _ in }
    loader.register("fails", phase: .late) { _ in throw Broken() }
    guard case .failed(let report)? = await launchErrorCode({ try await loader.launch() }) else {
      Issue.record("The launch has to fail.")
      return
    }
    #expect(
      log.entries == ["twice freed", "derived freed", "undo first", "first freed"],
      "A value is released before those it was made from."
    )
    #expect(
      report.summary == [
        "first undone", "derived undone", "twice undone", "free finished", "uses finished",
        "fails failed: broken",
      ]
    )
    #expect(token.outcome?.description == "undone")
    for key in [LaunchKeys.first, derived, twice] {
      let code = await launchErrorCode { try await loader.value(of: key) }
      guard case .noValue(key.name, .undone?)? = code else {
        Issue.record("\(key): \(String(describing: code))")
        continue
      }
    }
    #expect(try await loader.value(of: free).name == "free")
    let late = loader.register("late", needs: derived) { _, _ in }
    #expect(late.outcome?.description == "skipped because of derived")
  }

  @Test("A launch that the posting code cannot roll back continues in a task, and ends")
  func rollbackAfterAnEvent() async throws {
    let (loader, bus) = (LaunchLoader(onFailure: .rollback), EventBus())
    let attachment = loader.attach(to: bus)
    loader.register(.first, undo: { [log] _ in log.append("undo first") }) { [self] _ in
      resource("first")
    }
    loader.register("fails", phase: .late) { _ in throw Broken() }
    bus.post(.didFinishLaunching, .current)
    let report = try await loader.report()
    #expect(report.summary == ["first undone", "fails failed: broken"])
    #expect(log.entries == ["undo first", "first freed"])
    withExtendedLifetime(attachment) {}
  }
}
