internal import EventBus

extension LaunchLoader {
  /// Registers launch work.
  ///
  /// The closure runs once, in the isolation in which it was written. Before `main`, this call only
  /// stores the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line. Only the
  ///     first registration of a name counts.
  ///   - dependencies: The work that must finish first. If any of it is missing or does not finish,
  ///     this work is skipped.
  ///   - others: The work that must end first, however it ends, if it is registered.
  ///   - phase: The phase of the launch in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock. A synchronous closure cannot be
  ///     interrupted; its outcome records that it exceeded the limit.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes,
  ///     where the launch runs. If it returns `false`, the work is skipped, and so is everything that
  ///     needs it.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work. The report records an error that it throws.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
  /// The closure runs once, in a task, in the isolation in which it was written. Before `main`, this
  /// call only stores the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line. Only the
  ///     first registration of a name counts.
  ///   - dependencies: The work that must finish first. If any of it is missing or does not finish,
  ///     this work is skipped.
  ///   - others: The work that must end first, however it ends, if it is registered.
  ///   - phase: The phase of the launch in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock. When it is reached, the worker is
  ///     cancelled and the launch continues without it.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes,
  ///     where the launch runs. If it returns `false`, the work is skipped, and so is everything that
  ///     needs it.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work. The report records an error that it throws.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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

  /// Registers launch work that is a type of its own.
  ///
  /// - Parameters:
  ///   - type: The type of the worker. It provides the name, the dependencies and the phase. The loader
  ///     creates one instance and runs it once.
  ///   - timeout: The time limit, measured on the loader's clock. When it is reached, the worker is
  ///     cancelled and the launch continues without it.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes. If
  ///     it returns `false`, the work is skipped.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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

  /// Withdraws a registration that has not begun.
  ///
  /// - Returns: The registration, for the caller to dismiss; `nil` if it has begun or ended.
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

  /// Runs work that was registered after the launch.
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
