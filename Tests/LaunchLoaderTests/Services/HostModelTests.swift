import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// Programs at random, on a manual clock: launch work, services, readiness, limits, restarts, groups, signals.
@Suite("Whole applications at random", .timeLimit(.minutes(60)))
struct HostModelTests {
  /// What a service does in one of its attempts.
  fileprivate enum Act: CaseIterable, Sendable {
    /// Runs until it is asked to stop.
    case obeys
    /// Runs on for a while after the request.
    case lingers
    /// Ends only when its task is cancelled.
    case needsCancellation
    /// Ignores the request and the cancellation.
    case stuck
    case returns, throwsEarly, throwsLate
    /// Throws after the request.
    case throwsInStop
    /// Is not ready for a while.
    case wavers
    /// Adds another service, or ends the program.
    case adds, shutsDown
  }

  /// One service of a program.
  fileprivate struct Part: Sendable {
    let name: String
    /// The name in messages.
    let path: String
    let options: AppServiceOptions
    let acts: [Act]
    /// The services that it names, and the one before it in a chain.
    let dependencies: [String]
  }

  /// What happens in the program, and what is wrong with it.
  private struct Journal: Sendable {
    var events: [String] = []
    var problems: [String] = []
    /// The services whose body runs, with the number of the attempt.
    var running: [String: Int] = [:]
    /// The services that were ready once, of those that report it.
    var satisfied: Set<String> = []
    var begun: Set<String> = []
    /// Indicates that something cancels all services, or abandons one: the order of the stop does not count.
    var isForced = false
  }

  /// One program.
  private final class Trial: Sendable {
    let clock = TestClock()
    let bus = EventBus()
    let loader = LaunchLoader()
    let app: AppHost
    let journal = Locked(Journal())
    let release = ManualLatch()
    let hasEnded = ManualLatch()
    let seed: Int
    let parts: [Part]
    /// The seconds of the requests to stop.
    let interrupts: [Int]
    private let result = Locked<Result<Int32, any Error>?>(nil)
    private let token = Locked<Token?>(nil)

    init(_ seed: Int, _ parts: [Part], interrupts: [Int]) {
      (self.seed, self.parts, self.interrupts) = (seed, parts, interrupts)
      let configuration = AppHost.Configuration(
        stopTimeout: .seconds(20),
        cancelTimeout: .seconds(5),
        clock: clock,
        signals: [:],
        onMessage: { _ in },
        launchOptions: LaunchOptions()
      )
      app = AppHost(bus: bus, loader: loader, configuration: configuration)
      let isForced = parts.contains { part in
        part.options.onReturn == .cancel || part.options.onThrow == .cancel
          || part.acts.contains { $0 == .stuck || $0 == .needsCancellation }
      }
      journal.withLock { $0.isForced = isForced }
    }

    /// Begins the run.
    func start() {
      let token = bus.observe(.appServiceStateDidChange) { [self] change in
        note("\(change.service) is \(change.state)")
      }
      self.token.withLock { $0 = token }
      Task {
        let end = await Task { try await app.run() }.result
        self.token.withLock { $0 = nil }
        result.withLock { $0 = end }
        hasEnded.open()
      }
    }

    /// Lets a second pass, and requests the stop when it is time.
    func pass(_ second: Int) {
      if interrupts.contains(second) {
        if interrupts.first != second { journal.withLock { $0.isForced = true } }
        app.interrupt(15)
      }
      clock.jump(by: .seconds(1))
    }

    /// Whether the run threw an error.
    var hasFailed: Bool { if case .failure = result.withLock({ $0 }) { true } else { false } }

    /// What is wrong with the run.
    var problem: String? {
      guard hasEnded.isOpen else { return "the program does not end" }
      let (events, problem) = journal.withLock { ($0.events, $0.problems.first) }
      if let problem { return problem }
      // A group that starts again has failed in vain.
      let last = events.lastIndex { $0 == "group is pausing" } ?? -1
      let names = Set(
        events.enumerated().filter { $1.hasSuffix(" is abandoned") }
          .filter { $0 > last || !$1.hasPrefix("group/") }
          .map { String($1.dropLast(" is abandoned".count)) }
      )
      switch result.withLock({ $0 }) {
      case .success(let code):
        if !names.isEmpty { return "\(names) are abandoned, and nothing failed" }
        return code == 0 || code == 143 ? nil : "the exit code is \(code)"
      case .failure(let error as AppHostError):
        // A group is named by its services.
        let named = Set(error.abandonedServices)
        let expected = names.filter { $0 != "group" || !names.contains { $0.hasPrefix("group/") } }
        return named == expected ? nil : "\(named) are named, and \(expected) abandoned"
      case .failure(let error): return "threw \(error)"
      case nil: return "no result"
      }
    }

    func note(_ event: String) { journal.withLock { $0.events.append(event) } }

    /// The body of a service.
    func run(_ part: Part, _ context: AppServiceContext) async throws {
      let act = part.acts[min(context.attempt - 1, part.acts.count - 1)]
      begin(part, context.attempt)
      defer { end(part) }
      context.onShutdown { [self] in
        journal.withLock { journal in
          journal.events.append("asked \(part.path)")
          if journal.isForced { return }
          // Nothing that comes after it may still run.
          for other in parts where other.dependencies.contains(part.path) {
            if journal.running[other.path] == nil { continue }
            journal.problems.append("\(part.path) is asked before \(other.path) has ended")
          }
        }
      }
      if act == .throwsEarly { throw Failed(name: part.path) }
      try await clock.sleep(for: .milliseconds(10))
      if part.options.reportsReadiness {
        _ = journal.withLock { $0.satisfied.insert(part.path) }
      }
      context.markReady()
      switch act {
      case .obeys, .throwsEarly: try await context.waitUntilShutdown()
      case .lingers:
        try await context.waitUntilShutdown()
        try await clock.sleep(for: .seconds(2))
      case .needsCancellation: try await clock.sleep(for: .seconds(1_000_000))
      case .stuck: await waitStubbornly(release)
      case .returns: try await clock.sleep(for: .seconds(1))
      case .throwsLate:
        try await clock.sleep(for: .seconds(3))
        throw Failed(name: part.path)
      case .throwsInStop:
        try await context.waitUntilShutdown()
        throw Failed(name: part.path)
      case .wavers:
        context.markUnready()
        try await clock.sleep(for: .seconds(1))
        context.markReady()
        try await context.waitUntilShutdown()
      case .adds:
        try? app.add("added by \(part.path)") { try await $0.waitUntilShutdown() }
        try await context.waitUntilShutdown()
      case .shutsDown:
        try await clock.sleep(for: .seconds(4))
        app.shutdown()
        try await context.waitUntilShutdown()
      }
    }

    private func begin(_ part: Part, _ attempt: Int) {
      journal.withLock { journal in
        journal.events.append("+\(part.path) \(attempt)")
        if journal.running.updateValue(attempt, forKey: part.path) != nil {
          journal.problems.append("\(part.path) runs twice")
        }
        guard journal.begun.insert(part.path).inserted else { return }
        for other in parts where other.options.reportsReadiness {
          if !part.dependencies.contains(other.path) { continue }
          if journal.satisfied.contains(other.path) { continue }
          journal.problems.append("\(part.path) starts before \(other.path) is ready")
        }
      }
    }

    private func end(_ part: Part) {
      journal.withLock { journal in
        journal.events.append("-\(part.path)")
        journal.running[part.path] = nil
      }
    }
  }

  private static func ending(_ numbers: inout SampleNumbers) -> AppServiceOptions.EndPolicy {
    switch numbers.next(below: 7) {
    case 0, 1: .fail
    case 2: .shutdown
    case 3: .cancel
    case 4: .ignore
    case 5: .restart(RestartPolicy(limit: 2))
    default: .restart(RestartPolicy(pause: .seconds(1), limit: nil, resetAfter: .seconds(2)))
    }
  }

  /// Services at random, in one group or application.
  private static func parts(
    _ count: Int,
    in prefix: String,
    _ numbers: inout SampleNumbers
  ) -> [Part] {
    let hasEdges = numbers.next(below: 2) == 0
    var parts: [Part] = []
    for index in 0..<count {
      var options = AppServiceOptions()
      options.reportsReadiness = numbers.next(below: 2) == 0
      options.onReturn = ending(&numbers)
      options.onThrow = ending(&numbers)
      if numbers.next(below: 4) == 0 { options.startTimeout = .seconds(1 + numbers.next(below: 3)) }
      if numbers.next(below: 4) == 0 { options.stopTimeout = .seconds(1 + numbers.next(below: 5)) }
      if hasEdges, let other = parts.randomPart(&numbers) { options.after = [other.name] }
      // Most services obey, or few programs would get far.
      let acts = (0..<3).map { _ in
        numbers.next(below: 2) == 0 ? .obeys : Act.allCases[numbers.next(below: Act.allCases.count)]
      }
      parts.append(
        Part(
          name: "\(index)",
          path: prefix + "\(index)",
          options: options,
          acts: acts,
          dependencies: options.after.map { prefix + $0 }
        )
      )
    }
    if parts.allSatisfy({ $0.options.after.isEmpty }) {
      // A chain.
      return parts.indices.map { index in
        let part = parts[index]
        let former = index > 0 ? [parts[index - 1].path] : []
        return Part(
          name: part.name,
          path: part.path,
          options: part.options,
          acts: part.acts,
          dependencies: former
        )
      }
    }
    return parts
  }

  /// Makes a program from a seed.
  private static func trial(_ seed: Int) throws -> Trial {
    var numbers = SampleNumbers(seed: seed)
    let parts = parts(numbers.next(below: 5), in: "", &numbers)
    let members = Self.parts(numbers.next(below: 3), in: "group/", &numbers)
    let request = numbers.next(below: 8)
    let isInsisted = numbers.next(below: 3) == 0
    let trial = Trial(
      seed,
      parts + members,
      interrupts: isInsisted ? [request, request + 1 + numbers.next(below: 4)] : [request]
    )
    for part in parts {
      try trial.app.add(part.name, options: part.options) { try await trial.run(part, $0) }
    }
    if !members.isEmpty {
      let group = AppServiceGroup("group")
      for part in members {
        try group.add(part.name, options: part.options) { try await trial.run(part, $0) }
      }
      var options = AppServiceOptions(onReturn: .ignore)
      if numbers.next(below: 2) == 0 { options.onThrow = .restart(RestartPolicy()) }
      if parts.contains(where: { !$0.options.after.isEmpty }) { options.after = [parts[0].name] }
      try trial.app.add(group, options: options)
    }
    for index in 0..<numbers.next(below: 3) {
      let kind = numbers.next(below: 4)
      trial.loader.register(LaunchID("work \(index)")) { _ async throws in
        trial.note("work \(index)")
        if kind == 0 { throw Failed(name: "work") }
        if kind == 1 { try await trial.clock.sleep(for: .seconds(2)) }
      }
    }
    return trial
  }

  @Test("Any program ends in order within its limits, names what it abandoned, and forgets nothing")
  func programs() async throws {
    var (restarts, abandoned, failures) = (0, 0, 0)
    let (count, batch) = (size(2_000, full: 100_000), 100)
    for first in stride(from: 0, to: count, by: batch) {
      let trials = try (first..<first + batch).map(Self.trial)
      for trial in trials { trial.start() }
      // Longer than all limits, one after the other.
      for second in 0..<120 where trials.contains(where: { !$0.hasEnded.isOpen }) {
        await rest()
        for trial in trials where !trial.hasEnded.isOpen { trial.pass(second) }
      }
      await rest()
      for trial in trials {
        let problem = trial.problem
        trial.release.open()
        let events = trial.journal.withLock { $0.events }
        restarts += events.count { $0.hasSuffix("is pausing") }
        abandoned += events.count { $0.hasSuffix("is abandoned") }
        failures += trial.hasFailed ? 1 : 0
        if let problem {
          Issue.record("seed \(trial.seed): \(problem)\n\(events.joined(separator: "\n"))")
          return
        }
      }
    }
    #expect(restarts > 100 && abandoned > 50 && failures > 100)
  }
}

extension [HostModelTests.Part] {
  /// Returns one of the parts, or none.
  fileprivate func randomPart(_ numbers: inout SampleNumbers) -> Element? {
    let index = numbers.next(below: count + 1)
    return index < count ? self[index] : nil
  }
}
