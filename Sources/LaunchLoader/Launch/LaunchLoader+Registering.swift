internal import EventBus

extension LaunchLoader {
  /// Registers launch work.
  ///
  /// The closure runs once, in the isolation it was written in. Before `main` this only notes the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - dependencies: What has to have finished first. If one of them is missing or does not finish, this
  ///     work is skipped.
  ///   - others: What has to have ended first, if it is there, however it ended.
  ///   - phase: The phase of the launch that it belongs to.
  ///   - timeout: How long it may take, on the clock of the loader. A synchronous closure cannot be
  ///     interrupted; what is recorded is that it took longer.
  ///   - condition: Asked once, when its turn has come, where the launch runs: without it holding, the work
  ///     is skipped, and so is what needs it.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public func register(
    _ id: LaunchID? = nil,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void
  ) -> LaunchToken {
    add(
      id,
      LaunchSite(fileID: fileID, line: line),
      LaunchTerms(
        after: dependencies,
        afterIfPresent: others,
        phase: phase,
        timeout: timeout
      ),
      condition,
      LaunchWork(IsolatedCall(body: worker))
    )
  }

  /// Registers asynchronous launch work.
  ///
  /// The closure runs once, in a task, in the isolation it was written in. Before `main` this only notes
  /// the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - dependencies: What has to have finished first. If one of them is missing or does not finish, this
  ///     work is skipped.
  ///   - others: What has to have ended first, if it is there, however it ended.
  ///   - phase: The phase of the launch that it belongs to.
  ///   - timeout: How long it may take, on the clock of the loader. Then it is cancelled, and
  ///     the launch goes on without it.
  ///   - condition: Asked once, when its turn has come, where the launch runs: without it holding, the work
  ///     is skipped, and so is what needs it.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public func register(
    _ id: LaunchID? = nil,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void
  ) -> LaunchToken {
    add(
      id,
      LaunchSite(fileID: fileID, line: line),
      LaunchTerms(
        after: dependencies,
        afterIfPresent: others,
        phase: phase,
        timeout: timeout
      ),
      condition,
      .asynchronous(AsynchronousCall(body: worker))
    )
  }

  /// Registers launch work that has a type of its own.
  ///
  /// - Parameters:
  ///   - type: The type of the worker; one is created and run, once. It has the name of the work, its
  ///     dependencies and its phase.
  ///   - timeout: How long it may take, on the clock of the loader. Then it is cancelled, and the launch goes
  ///     on without it.
  ///   - condition: Asked once, when its turn has come: without it holding, the work is skipped.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public func register<Worker: LaunchWorker>(
    _ type: Worker.Type,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> LaunchToken {
    add(
      type.id,
      LaunchSite(fileID: fileID, line: line),
      LaunchTerms(after: type.dependencies, phase: type.phase, timeout: timeout),
      condition,
      .type(type)
    )
  }

  /// Takes a registration back, unless it has begun.
  ///
  /// - Returns: The registration, to be dismissed; `nil` if it is too late.
  func withdraw(_ serial: UInt64) -> LaunchRegistration? {
    guard let withdrawn = state.withLock({ $0.registry.withdraw(serial) }) else { return nil }
    finish(withdrawn.aftermath)
    return withdrawn.registration
  }

  private func add(
    _ id: LaunchID?,
    _ site: LaunchSite,
    _ terms: LaunchTerms,
    _ condition: (@Sendable (LaunchOptions) -> Bool)?,
    _ work: LaunchWork
  ) -> LaunchToken {
    let registration = LaunchRegistration(
      id: id,
      site: site,
      terms: terms,
      condition: condition.map(LaunchCondition.init),
      work: work
    )
    switch state.withLock({ $0.registry.register(registration) }) {
    case .kept(let serial, let wake):
      self.wake(wake)
      return LaunchToken(registration, of: self, serial: serial)
    case .runsNow(let options, let place):
      runLate(registration, options, at: place)
    case .skipped(let id):
      registration.dismiss(.skipped(because: id))
    case .duplicate(let id, let original):
      registration.dismiss(.duplicate(of: id))
      return LaunchToken(registration, of: self, serial: nil, original: original)
    case .refused:
      registration.dismiss(.refused)
    }
    return LaunchToken(registration, of: self, serial: nil)
  }

  /// Runs work that came after the launch.
  private func runLate(
    _ registration: LaunchRegistration,
    _ options: LaunchOptions,
    at place: Int?
  ) {
    let session = session(options)
    guard registration.kind == .inline else {
      if let place { Task { self.start(registration, at: place, session) } }
      return
    }
    let outcome: LaunchOutcome
    if registration.isWanted(options) {
      let result = registration.call(options)
      let times = LaunchTimes(start: .zero, duration: session.stopwatch.elapsed())
      outcome = registration.limited(result, times)
    } else {
      registration.dismiss(.skipped(because: nil))
      outcome = .skipped(because: nil)
    }
    if let place {
      settle(registration, at: place, nil, outcome)
    } else {
      registration.outcome.resolve(outcome)
    }
  }
}
