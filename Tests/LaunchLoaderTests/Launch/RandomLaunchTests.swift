import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Random launches", .timeLimit(.minutes(5)))
struct RandomLaunchTests {
  private static let rounds = TestSupport.rounds(2_000, debug: size(60, full: 800), sanitized: 200)

  @Test("A launch ends whatever its workers do, runs each at most once, and reports truthfully")
  func everyLaunchEnds() async throws {
    for seed in 0..<Self.rounds {
      let launch = RandomLaunch(seed: seed)
      let ends = await RandomLaunch.$current.withValue(launch) { await launch.run() }
      if !ends { return }
    }
  }
}

/// An actor that is busy while its executor is held.
@globalActor
private actor HeldActor {
  static let shared = HeldActor()
  nonisolated let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  /// Returns when everything that was handed to the actor before has run.
  func barrier() {}
}

/// A launch of a few workers that fail, take too long, wait for a busy actor and depend on each other in
/// every way, while it is cancelled, stopped, joined and runs out of time.
private final class RandomLaunch: Sendable {
  typealias Worker = @isolated(any) @Sendable (LaunchOptions) throws -> Void
  typealias AsynchronousWorker = @isolated(any) @Sendable (LaunchOptions) async throws -> Void

  /// For workers that have a type.
  @TaskLocal static var current: RandomLaunch?

  /// The facts about a worker.
  private struct Work: Sendable {
    var token: LaunchRegistration?
    var isWithdrawn = false
    var begins = 0
    var beganAfterReport = false
    var undos = 0
    var isMaker = false
    var cleanUps = 1
  }

  /// A value that a maker makes, with the name of the maker.
  private final class Made: Sendable {
    let id: LaunchID
    private let probe: Tally.Probe

    init(_ id: LaunchID, _ tally: Tally) {
      self.id = id
      probe = tally.probe()
    }
  }

  private struct State: Sendable {
    var numbers: SampleNumbers
    var work: [LaunchID: Work] = [:]
    var events = ""
  }

  /// The behavior of a worker.
  private struct Conduct: Sendable {
    let sleeps: Int
    let fails: Bool
    let ignoresCancellation: Bool
  }

  /// A worker that can be undone.
  private struct Undoable: LaunchWorker {
    static let id: LaunchID = "undoable"
    private let launch = RandomLaunch.current
    func launch(_ options: LaunchOptions) async throws {
      launch?.begin(Self.id)
      await Task.yield()
    }
    func undo() async { launch?.undo(Self.id) }
  }

  private let seed: Int
  private let clock = ManualClock()
  private let loader: LaunchLoader
  private let isOver = ManualLatch()
  /// Open once every worker that the launch had called has had time to begin.
  ///
  /// A worker that times out just as it is called may begin a moment after the report.
  private let isLongOver = ManualLatch()
  private let state: Locked<State>
  /// Counts the values that exist.
  private let values = Tally()

  init(seed: Int) {
    self.seed = seed
    var numbers = SampleNumbers(seed: seed)
    let policies: [LaunchFailurePolicy] = [.continue, .stop, .rollback]
    loader = LaunchLoader(
      onFailure: policies[numbers.next(below: 3)],
      timeout: numbers.next(below: 3) == 0 ? .seconds(1 + numbers.next(below: 5)) : nil,
      width: numbers.next(below: 2) == 0 ? 1 + numbers.next(below: 2) : nil,
      clock: clock
    )
    state = Locked(State(numbers: numbers))
  }

  /// Runs the launch and checks its result.
  ///
  /// - Returns: Whether it ended.
  func run() async -> Bool {
    for index in 0..<1 + number(below: 7) { register(index) }
    if number(below: 3) == 0 {
      state.withLock { $0.work[Undoable.id] = Work() }
      let token = loader.register(Undoable.self)
      state.withLock { $0.work[Undoable.id]?.token = token }
    }
    if number(below: 2) == 0 { HeldActor.shared.executor.hold() }
    let isPosted = number(below: 4) == 0
    let launch = Task {
      if isPosted {
        let bus = EventBus()
        let attachment = loader.attach(to: bus)
        bus.post(.didFinishLaunching, LaunchOptions())
        withExtendedLifetime(attachment) {}
        _ = try? await Task { try await loader.report() }.value
      } else {
        _ = try? await loader.launch()
      }
      isOver.open()
    }
    for step in 0..<12 where !isOver.isOpen {
      if number(below: 4) > 0 { await Task.yield() }  // Reason: others overlap.
      disturb(launch, step)
    }
    HeldActor.shared.executor.open()
    let ends = await goOn { isOver.isOpen }
    #expect(ends, "The launch does not end: \(self)")
    guard ends else { return false }
    // Work that waits for the actor has its turn before this request.
    await HeldActor.shared.barrier()
    await rest()
    isLongOver.open()
    let tokens = state.withLock { $0.work.values.compactMap(\.token) }
    let settles = await goOn {
      tokens.allSatisfy { $0.outcome != nil } && clock.sleeperCount == 0
    }
    #expect(settles, "A worker has no outcome: \(self)")
    await HeldActor.shared.barrier()
    await check()
    await checkValues()
    return settles
  }

  /// Lets time pass until something holds.
  ///
  /// - Returns: Whether it did at the last check; after that, a task that was late may begin to sleep.
  private func goOn(until holds: () -> Bool) async -> Bool {
    var answer = false
    await until(look(&answer, holds))
    return answer
  }

  private func look(_ answer: inout Bool, _ holds: () -> Bool) -> Bool {
    answer = holds()
    if !answer { clock.jump(by: .seconds(1)) }
    return answer
  }

  private func number(below bound: Int) -> Int {
    state.withLock { $0.numbers.next(below: bound) }
  }

  private func disturb(_ launch: Task<Void, Never>, _ step: Int) {
    let event = number(below: 14)
    state.withLock { $0.events += "\(event) " }
    switch event {
    case 0: launch.cancel()
    case 1, 2:
      let id = LaunchID("\(number(below: 8))")
      guard let token = state.withLock({ $0.work[id]?.token }), token.cancel() else { return }
      state.withLock { $0.work[id]?.isWithdrawn = true }
    case 3: register(20 + step)
    case 4: if number(below: 3) == 0 { loader.stop() }
    case 5: HeldActor.shared.executor.hold()
    case 6, 7: HeldActor.shared.executor.open()
    default: clock.jump(by: .milliseconds(500))
    }
  }

  private func register(_ index: Int) {
    let id = LaunchID("\(index)")
    state.withLock { $0.work[id] = Work() }
    // Some depend on later workers, which creates cycles, and some on missing ones.
    let names = (0..<2).map { _ in LaunchID("\(number(below: max(2, index + index / 6)))") }
    let after = number(below: 3) == 0 ? [names[0]] : []
    let others = number(below: 4) == 0 ? [names[1]] : []
    let phase = LaunchPhase.allCases[number(below: 4)]
    let timeout: Duration? = number(below: 3) == 0 ? .milliseconds(500 * number(below: 6)) : nil
    let answer = number(below: 5)
    var condition: (@Sendable (LaunchOptions) -> Bool)?
    if answer < 2 { condition = { _ in answer == 0 } }
    let conduct = Conduct(
      sleeps: number(below: 3),
      fails: number(below: 4) == 0,
      ignoresCancellation: number(below: 3) == 0
    )
    let token: LaunchRegistration
    if number(below: 3) == 0 {
      token = registerWithValues(id, conduct, after, others, phase, timeout, condition)
    } else if let worker = worker(id, conduct) {
      token = loader.register(
        id,
        after: after,
        afterIfPresent: others,
        phase: phase,
        timeout: timeout,
        when: condition,
        run: worker
      )
    } else {
      token = loader.register(
        id,
        after: after,
        afterIfPresent: others,
        phase: phase,
        timeout: timeout,
        when: condition,
        run: asynchronousWorker(id, conduct)
      )
    }
    state.withLock { $0.work[id]?.token = token }
  }

  /// Registers a worker that needs the value of another one, makes one, or both.
  private func registerWithValues(
    _ id: LaunchID,
    _ conduct: Conduct,
    _ after: [LaunchID],
    _ others: [LaunchID],
    _ phase: LaunchPhase,
    _ timeout: Duration?,
    _ condition: (@Sendable (LaunchOptions) -> Bool)?
  ) -> LaunchRegistration {
    let key = LaunchKey<Made>(id.rawValue)
    let need = LaunchKey<Made>("\(number(below: 8))")
    let kind = number(below: 4)
    let isUndoable = number(below: 2) == 0
    let cleanUp: (@Sendable (Made) async -> Void)? =
      isUndoable ? { @Sendable [self] made in undo(made.id) } : nil
    state.withLock { $0.work[id]?.isMaker = kind != 3 }
    state.withLock { $0.work[id]?.cleanUps = isUndoable ? 1 : 0 }
    switch kind {
    case 0:
      return loader.register(
        key,
        after: after,
        afterIfPresent: others,
        phase: phase,
        timeout: timeout,
        when: condition,
        undo: cleanUp
      ) { @HeldActor [self] _ in
        begin(id)
        if conduct.fails { throw Broken() }
        return Made(id, values)
      }
    case 1:
      return loader.register(
        key,
        after: after,
        afterIfPresent: others,
        phase: phase,
        timeout: timeout,
        when: condition,
        undo: cleanUp
      ) { [self] _ in
        begin(id)
        let made = Made(id, values)
        try await work(conduct)
        return made
      }
    case 2:
      return loader.register(
        key,
        needs: need,
        afterIfPresent: others,
        phase: phase,
        when: condition,
        undo: cleanUp
      ) { [self] _, needed in
        begin(id)
        #expect(needed.id == need.name, "\(id) needs another value: \(self)")
        return Made(id, values)
      }
    default:
      return loader.register(id, needs: need, after: after, phase: phase, timeout: timeout) {
        [self] _, needed in
        begin(id)
        #expect(needed.id == need.name, "\(id) needs another value: \(self)")
        try await work(conduct)
      }
    }
  }

  /// Checks that there are the values of the makers that have finished, and no others.
  private func checkValues() async {
    let makers = state.withLock { $0.work.filter(\.value.isMaker) }
    var count = 0
    for (id, work) in makers {
      guard let outcome = work.token?.outcome else { continue }
      let value = try? await loader.value(of: LaunchKey<Made>(id.rawValue))
      if case .finished = outcome {
        count += 1
        #expect(value?.id == id, "\(id) has no value: \(self)")
      } else {
        #expect(value == nil, "\(id) has a value though it was \(outcome): \(self)")
      }
    }
    #expect(await goOn { values.live == count }, "\(values.live) of \(count) values: \(self)")
  }

  private func worker(_ id: LaunchID, _ conduct: Conduct) -> Worker? {
    switch number(below: 4) {
    case 0:
      return { [self] _ in
        begin(id)
        if conduct.fails { throw Broken() }
      }
    case 1:
      return { @HeldActor [self] _ in
        begin(id)
        if conduct.fails { throw Broken() }
      }
    default: return nil
    }
  }

  private func asynchronousWorker(_ id: LaunchID, _ conduct: Conduct) -> AsynchronousWorker {
    guard number(below: 2) == 0 else {
      return { @HeldActor [self] _ in
        begin(id)
        try await work(conduct)
      }
    }
    return { [self] _ in
      begin(id)
      try await work(conduct)
    }
  }

  private func begin(_ id: LaunchID) {
    let isOver = isLongOver.isOpen
    state.withLock { state in
      state.work[id]?.begins += 1
      if isOver { state.work[id]?.beganAfterReport = true }
    }
  }

  private func undo(_ id: LaunchID) { state.withLock { $0.work[id]?.undos += 1 } }

  private func work(_ conduct: Conduct) async throws {
    for _ in 0..<conduct.sleeps {
      if conduct.ignoresCancellation {
        await Task { [clock] in try? await clock.sleep(for: .seconds(1)) }.value
      } else {
        try await clock.sleep(for: .seconds(1))
      }
    }
    if conduct.fails { throw Broken() }
  }

  private func check() async {
    guard let report = try? await loader.report() else { return }
    let entries = Dictionary(report.entries.map { ($0.id, $0) }) { first, _ in first }
    for (id, work) in state.withLock({ $0.work }) {
      guard let outcome = work.token?.outcome else { continue }
      #expect(work.begins <= 1, "\(id) runs once: \(self)")
      if let entry = entries[id] {
        #expect("\(entry.outcome)" == "\(outcome)", "\(id) has one outcome: \(self)")
        #expect(!work.beganAfterReport, "\(id) began after it was reported: \(self)")
        #expect(!work.isWithdrawn, "\(id) is not in the report: \(self)")
      }
      switch outcome {
      case .failed(let error as LaunchError):  // Late, with a need of another type.
        #expect(work.begins == 0 && entries[id] == nil, "\(id) \(error): \(self)")
      case .finished, .failed: #expect(work.begins == 1, "\(id) \(outcome): \(self)")
      case .undone: #expect(work.begins == 1 && work.undos == work.cleanUps, "\(id): \(self)")
      case .timedOut: #expect(!work.isWithdrawn, "\(id) \(outcome): \(self)")
      case .skipped, .duplicate, .refused:
        #expect(work.begins == 0, "\(id) \(outcome): \(self)")
      }
    }
  }
}

extension RandomLaunch: CustomStringConvertible {
  var description: String { "seed \(seed), events \(state.withLock { $0.events })" }
}
