import LaunchLoader
import TestSupport
import Testing

@Suite("Long chains of workers", .timeLimit(.minutes(5)))
struct LongChainTests {
  // Debug builds have the largest frames: a recursion of this depth overflows any stack.
  private let count = rounds(100_000, debug: size(8_000, full: 40_000), sanitized: 10_000)

  private func id(_ index: Int) -> LaunchID { LaunchID("\(index)") }

  /// Registers a chain: each worker needs the one before it.
  private func register(
    with loader: LaunchLoader,
    phase: LaunchPhase = .standard,
    _ ran: Counter
  ) {
    for index in 0..<count {
      loader.register(id(index), after: index > 0 ? [id(index - 1)] : [], phase: phase) { _ in
        ran.add()
      }
    }
  }

  @Test("A long chain is planned, moved forward by a joining worker, run and reported")
  func pulledForward() async throws {
    let loader = LaunchLoader()
    let ran = Counter()
    let last = id(count - 1)
    register(with: loader, phase: .late, ran)
    let plan = try loader.plan()
    #expect(plan.layers.count == count)
    #expect(plan.edges.count == count - 1)
    let joined = Log<LaunchRegistration>()
    loader.register("first", phase: .early) { [count] _ in
      let token = loader.register("joins", after: [last], phase: .early) { _ in
        #expect(ran.value == count)
      }
      joined.append(token)
    }
    let report = try await loader.launch()
    #expect(joined.entries.first?.outcome?.description == "finished")
    #expect(ran.value == count)
    #expect(report.entries.allSatisfy { $0.phase == .early })
    #expect(report.criticalPath.count == count + 2)
    // Where its lines break depends on how long the launch took.
    let words = report.description.split(whereSeparator: \.isWhitespace)
    #expect(words.suffix(4).joined(separator: " ") == "→ \(last) → joins")
  }

  @Test("A long chain of values, each made from the one before it, is made and rolled back")
  func values() async throws {
    for fails in [false, true] {
      let count = fails ? self.count / 10 : self.count
      let loader = LaunchLoader(onFailure: .rollback)
      let keys = (0..<count).map { LaunchKey<Int>("\($0)") }
      let undone = Counter()
      loader.register(keys[0], undo: { _ in undone.add() }) { _ in 1 }
      for index in 1..<count {
        loader.register(keys[index], needs: keys[index - 1]) { _, value in value + 1 }
      }
      loader.register("last", needs: keys[count - 1], phase: .late) { _, value in
        #expect(value == count)
        if fails { throw Broken() }
      }
      let report = try? await loader.launch()
      #expect((report == nil) == fails && undone.value == (fails ? 1 : 0))
      let value = try? await loader.value(of: keys[count - 1])
      #expect(value == (fails ? nil : count))
    }
  }

  @Test("A failure skips the whole chain after it")
  func skipped() async throws {
    let loader = LaunchLoader()
    let ran = Counter()
    loader.register("fails", phase: .early) { _ in throw Broken() }
    loader.register(id(0), after: ["fails"]) { _ in ran.add() }
    for index in 1..<count { loader.register(id(index), after: [id(index - 1)]) { _ in ran.add() } }
    try await loader.launch()
    #expect(ran.value == 0)
    #expect(try await loader.report().entries.count == count + 1)
  }

  @Test("A long cycle is reported with its whole path")
  func ring() async throws {
    let loader = LaunchLoader(onFailure: .stop)
    for index in 0..<count { loader.register(id(index), after: [id((index + 1) % count)]) { _ in } }
    guard case .cycle(let path)? = await launchErrorCode({ try await loader.launch() }) else {
      Issue.record("The launch has to throw .cycle.")
      return
    }
    #expect(path.count == count + 1)
  }

  @Test("A long chain of late workers that each register the next one runs completely")
  func lateChain() async throws {
    let loader = LaunchLoader()
    try await loader.launch()
    let isDone = ManualLatch()
    LateChain(loader: loader, rest: count / 5, isDone: isDone).next()
    await isDone.wait()
  }

  private struct LateChain: Sendable {
    let loader: LaunchLoader
    let rest: Int
    let isDone: ManualLatch

    func next() {
      guard rest > 0 else { return isDone.open() }
      loader.register { _ in
        await Task.yield()
        LateChain(loader: loader, rest: rest - 1, isDone: isDone).next()
      }
    }
  }
}
