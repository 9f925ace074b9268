internal import EventBus
private import _EventBusLocks

/// The preparations of a bridge at the server: streams, consumers and subscriptions.
///
/// Each is repeated until it succeeds, and after its result was lost.
///
/// ## Thread safety
///
/// Every member may be called on any thread. The closures are called in tasks, with no lock held.
final class Preparations: Sendable {
  private struct State {
    var jobs: [Int: Preparation] = [:]
    var nextNumber = 1
    var isStopped = false
  }

  private let state = Locked(State())
  private let tally: Tally

  init(_ tally: Tally) { self.tally = tally }

  /// Begins a preparation.
  ///
  /// - Parameters:
  ///   - event: The name of the event.
  ///   - isVital: Whether the bridge counts as not ready without it.
  ///   - failed: Called when the server forbids or rejects it, and when no further attempt follows, as none can succeed.
  ///   - isDenied: Returns whether the denial of a subject concerns it; if so, it drops the result.
  ///   - body: One attempt.
  /// - Returns: The token; no attempt begins after its end.
  func add(
    _ event: String,
    isVital: Bool = true,
    failed: @escaping @Sendable (LinkFailure) -> Void = { _ in },
    isDenied: @escaping @Sendable (_ subject: String) -> Bool = { _ in false },
    body: @escaping @Sendable () async throws(LinkFailure) -> Void
  ) -> Token {
    let job = Preparation(event, isVital: isVital, isDenied: isDenied, body: body) {
      [tally] error in
      switch error {
      // The bridge reports the server that it waits for, once for everything.
      case .closed, .unreachable: break
      case .notAuthorized, .unauthenticated:
        tally.report(BridgeReport(.notAuthorized, event, "\(error)"))
      default: tally.report(BridgeReport(.notPrepared, event, "\(error)"))
      }
      switch error {
      case .notAuthorized, .rejected, .invalid: failed(error)
      default: break
      }
    }
    let number = state.withLock { state in
      defer { state.nextNumber += 1 }
      if !state.isStopped { state.jobs[state.nextNumber] = job }
      return state.isStopped ? nil : state.nextNumber
    }
    guard let number else {
      job.cancel(.failure(Self.ended))
      return Token {}
    }
    job.run()
    return Token { [weak self] in
      job.cancel(.success(()))
      let removed = self?.state.withLock { $0.jobs.removeValue(forKey: number) }
      withExtendedLifetime(removed) {}
    }
  }

  private var jobs: [Preparation] { state.withLock { Array($0.jobs.values) } }

  /// Prepares an event or all again, as the stream or the connection seems to be missing; what has failed keeps to its
  /// pauses.
  func again(_ event: String? = nil) {
    for job in jobs where (event == nil || job.event == event) && !job.isFailing { job.run() }
  }

  /// Prepares everything again.
  func reconnected() {
    for job in jobs { job.run(isNew: true) }
  }

  /// Notes that the server ended a subscription, or did not begin it.
  func denied(_ denial: Denial) {
    for job in jobs { job.denied(denial) }
  }

  /// Waits until everything that the bridge carries so far is prepared.
  ///
  /// - Parameter limit: The longest wait; `nil` for none.
  /// - Throws: The reason why a preparation has failed.
  func waitUntilPrepared(within limit: Duration?) async throws(NATSError) {
    let deadline = limit.map { ContinuousClock.now + $0 }
    for job in jobs where job.isVital {
      let outcome = job.outcome()
      guard let limit, let deadline else {
        try await outcome.value()
        continue
      }
      try await outcome.value(until: deadline) {
        job.problem ?? NATSError(.timedOut, "\(job.event) was not prepared within \(limit)")
      }
    }
    if state.withLock(\.isStopped) { throw Self.ended }
  }

  /// Whether everything that the bridge carries is prepared.
  var arePrepared: Bool { jobs.allSatisfy { !$0.isVital || $0.isPrepared } }

  /// Ends all attempts.
  func stop() {
    let jobs = state.withLock { state in
      state.isStopped = true
      defer { state.jobs = [:] }
      return state.jobs
    }
    for job in jobs.values { job.cancel(.failure(Self.ended)) }
  }

  private static var ended: NATSError { NATSError(.closed, "The bridge has ended") }
}

/// A piece of work that is repeated until it succeeds.
private final class Preparation: Sendable {
  private struct State {
    var rule = PreparationRule()
    var waiters: [Promise<Void>] = []
    var ending: Result<Void, NATSError>?
    /// The failure of the last attempt, or the denial after it.
    var failure: LinkFailure?
    /// Whether `failed` is running.
    var isTelling = false
    /// Whether another attempt is wanted after that, and whether permissions may have changed.
    var isWanted: Bool?
    /// The result for tasks that wait for the preparation.
    ///
    /// It lags behind the rule: no task learns of a failure before `failed` has returned, so that what the task does
    /// next meets what `failed` has changed.
    var outcome: Result<Void, NATSError>?

    /// Sets the outcome, and returns the tasks that wait for it.
    mutating func publish(_ outcome: Result<Void, NATSError>?) -> [Promise<Void>] {
      self.outcome = outcome
      guard outcome != nil else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  let event: String
  let isVital: Bool
  private let state = Locked(State())
  private let isDenied: @Sendable (String) -> Bool
  private let body: @Sendable () async throws(LinkFailure) -> Void
  private let failed: @Sendable (LinkFailure) -> Void

  init(
    _ event: String,
    isVital: Bool,
    isDenied: @escaping @Sendable (String) -> Bool,
    body: @escaping @Sendable () async throws(LinkFailure) -> Void,
    failed: @escaping @Sendable (LinkFailure) -> Void
  ) {
    (self.event, self.isVital, self.isDenied) = (event, isVital, isDenied)
    (self.body, self.failed) = (body, failed)
  }

  func run(isNew: Bool = false) {
    let (step, attempt) = state.withLock { state in
      guard !state.isTelling else {
        state.isWanted = isNew || state.isWanted == true
        return (PreparationRule.Step.rest, 0)
      }
      return (state.ending == nil ? state.rule.want(isNew: isNew) : .rest, state.rule.attempt)
    }
    take(step, attempt)
  }

  func cancel(_ ending: Result<Void, NATSError>) {
    let waiters = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.fulfill(ending) }
  }

  func denied(_ denial: Denial) {
    guard isDenied(denial.subject) else { return }
    let failure = LinkFailure.notAuthorized(denial.text)
    conclude { rule in
      let step = rule.denied(failure)
      return step == .rest ? nil : (step, failure)
    }
  }

  var isPrepared: Bool { state.withLock { $0.ending == nil && $0.rule.standing == .prepared } }

  /// Whether the last attempt has failed, so that the next one follows a pause.
  var isFailing: Bool { state.withLock { $0.failure != nil } }

  /// The error of a wait that is over before the preparation, if an attempt has failed.
  var problem: NATSError? {
    guard let failure = state.withLock(\.failure) else { return nil }
    let words = "\(event) is not prepared: \(failure)"
    if case .unauthenticated = failure { return NATSError(.notAuthorized, words) }
    return NATSError(.timedOut, words)
  }

  /// A promise of the outcome, successful or not.
  func outcome() -> Promise<Void> {
    let promise = Promise<Void>()
    let known = state.withLock { state in
      let known = state.ending ?? state.outcome
      if known == nil { state.waiters.append(promise) }
      return known
    }
    if let known { promise.fulfill(known) }
    return promise
  }

  /// Takes a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - attempt: The number of the pause, if it is one.
  private func take(_ step: PreparationRule.Step, _ attempt: Int) {
    switch step {
    case .rest: break
    case .begin: Task { await work() }
    case .pause(let pause):
      Task {
        do { try await Task.sleep(for: pause) } catch { return }
        let (next, number) = state.withLock { state in
          (state.ending == nil ? state.rule.pauseEnded(attempt) : .rest, state.rule.attempt)
        }
        take(next, number)
      }
    }
  }

  private func work() async {
    var thrown: LinkFailure?
    do throws(LinkFailure) { try await body() } catch { thrown = error }
    conclude { [thrown] in $0.ended(thrown) }
  }

  /// Notes the end of an attempt, or a denial: tells `failed`, then the waiting tasks, and takes the next step.
  ///
  /// No other attempt begins before that: a delayed failure must not undo the success of a newer attempt.
  ///
  /// - Parameter change: Changes the rule; returns `nil` if there is nothing to tell.
  private func conclude(
    _ change: (inout PreparationRule) -> (step: PreparationRule.Step, failure: LinkFailure?)?
  ) {
    let verdict = state.withLock { state -> Verdict? in
      guard state.ending == nil, let (step, failure) = change(&state.rule) else { return nil }
      state.failure = failure
      let outcome = state.rule.standing.outcome(event)
      var verdict = Verdict(step: step, attempt: state.rule.attempt, outcome: outcome)
      if let failure {
        verdict.failure = failure
        state.isTelling = true
      } else {
        verdict.waiters = state.publish(outcome)
      }
      return verdict
    }
    guard var verdict else { return }
    var isWanted: Bool?
    if let failure = verdict.failure {
      failed(failure)
      (verdict.waiters, isWanted) = state.withLock {
        [outcome = verdict.outcome] state -> ([Promise<Void>], Bool?) in
        state.isTelling = false
        guard state.ending == nil else { return ([], nil) }
        return (state.publish(outcome), state.isWanted.take())
      }
    }
    if let outcome = verdict.outcome {
      for waiter in verdict.waiters { waiter.fulfill(outcome) }
    }
    take(verdict.step, verdict.attempt)
    // An attempt that has just begun sees what has changed.
    if let isWanted, verdict.step != .begin { run(isNew: isWanted) }
  }

  /// What follows from the end of an attempt or a denial.
  private struct Verdict {
    let step: PreparationRule.Step
    /// The number of the pause, or of the next attempt.
    let attempt: Int
    let outcome: Result<Void, NATSError>?
    var failure: LinkFailure?
    var waiters: [Promise<Void>] = []
  }
}

extension PreparationRule.Standing {
  /// The result for tasks that wait for the preparation, if it is known.
  fileprivate func outcome(_ event: String) -> Result<Void, NATSError>? {
    switch self {
    case .open: nil
    case .prepared: .success(())
    case .denied(.rejected(let words)): .failure(NATSError(.refused, "\(event): \(words)"))
    case .denied(let failure): .failure(NATSError(.notAuthorized, "\(event): \(failure)"))
    case .refused(.closed): .failure(NATSError(.closed, "The connection was closed"))
    case .refused(let failure): .failure(NATSError(.invalidName, "\(failure)"))
    }
  }
}
