internal import EventBus
private import _EventBusLocks

/// The preparations of a bridge at the server: streams, consumers and subscriptions.
///
/// Each is repeated until it succeeds, and after its result was lost.
///
/// ## Thread safety
///
/// Every member may be called on any thread. The closures are called in tasks, under no lock.
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
      case .closed: break
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
  func prepared(within limit: Duration?) async throws(NATSError) {
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
    /// The failure of the last attempt.
    var failure: LinkFailure?
    /// What tasks are told that wait for the preparation.
    ///
    /// It lags behind the rule: no task learns of a failure before `failed` has returned, so that what the task does
    /// next meets what `failed` has changed.
    var outcome: Result<Void, NATSError>?
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
    take(state.withLock { $0.ending == nil ? $0.rule.want(isNew: isNew) : .rest })
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
    let (step, attempt) = state.withLock { state in
      (state.ending == nil ? state.rule.denied(failure) : .rest, state.rule.attempt)
    }
    guard step != .rest else { return }
    failed(failure)
    publish(.denied(failure), of: attempt)
    take(step)
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

  private func take(_ step: PreparationRule.Step) {
    switch step {
    case .rest: break
    case .begin: Task { await work() }
    case .pause(let pause):
      let attempt = state.withLock(\.rule.attempt)
      Task {
        do { try await Task.sleep(for: pause) } catch { return }
        take(state.withLock { $0.ending == nil ? $0.rule.pauseEnded(attempt) : .rest })
      }
    }
  }

  private func work() async {
    var thrown: LinkFailure?
    do throws(LinkFailure) { try await body() } catch { thrown = error }
    let (step, failure, standing, attempt) = state.withLock { [thrown] state in
      let attempt = state.rule.attempt
      let (step, failure) = state.ending == nil ? state.rule.ended(thrown) : (.rest, nil)
      state.failure = failure
      return (step, failure, state.rule.standing, attempt)
    }
    if let failure { failed(failure) }
    publish(standing, of: attempt)
    take(step)
  }

  /// Tells waiting tasks the outcome of an attempt, unless another one has begun.
  private func publish(_ standing: PreparationRule.Standing, of attempt: Int) {
    let outcome = standing.outcome(event)
    let waiters = state.withLock { state -> [Promise<Void>] in
      guard state.ending == nil, state.rule.attempt == attempt else { return [] }
      state.outcome = outcome
      guard outcome != nil else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let outcome else { return }
    for waiter in waiters { waiter.fulfill(outcome) }
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
