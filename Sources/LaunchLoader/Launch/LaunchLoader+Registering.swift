internal import EventBus

extension LaunchLoader {
  /// Registers launch work.
  ///
  /// The closure runs once, in the isolation it was written in. Before `main` this only notes the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func register(
    _ id: LaunchID? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void
  ) -> LaunchToken {
    add(id, fileID, line, LaunchWork(IsolatedCall(body: worker)))
  }

  /// Registers asynchronous launch work.
  ///
  /// The closure runs once, in a task, in the isolation it was written in. Before `main` this only notes
  /// the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func register(
    _ id: LaunchID? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void
  ) -> LaunchToken {
    add(id, fileID, line, .asynchronous(AsynchronousCall(body: worker)))
  }

  /// Registers launch work that has a type of its own.
  ///
  /// - Parameters:
  ///   - type: The type of the worker; one is created and run, once. It has the name of the work.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func register<Worker: LaunchWorker>(
    _ type: Worker.Type,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> LaunchToken {
    register(type.id, fileID: fileID, line: line) { options in
      try await Worker().launch(options)
    }
  }

  /// Takes a registration back, unless it has begun.
  ///
  /// - Returns: The registration, to be dismissed; `nil` if it is too late.
  internal func withdraw(_ serial: UInt64) -> LaunchRegistration? {
    state.withLock { $0.registry.withdraw(serial) }
  }

  private func add(
    _ id: LaunchID?,
    _ fileID: StaticString,
    _ line: UInt,
    _ work: LaunchWork
  ) -> LaunchToken {
    let registration = LaunchRegistration(id: id, fileID: fileID, line: line, work: work)
    switch state.withLock({ $0.registry.register(registration) }) {
    case .kept(let serial, let wakes):
      if wakes { doorbell.ring() }
      return LaunchToken(registration, of: self, serial: serial)
    case .runsNow(let options):
      runLate(registration, options)
    case .duplicate(let original):
      registration.dismiss(.duplicate(of: original))
    case .refused:
      registration.dismiss(.refused)
    }
    return LaunchToken(registration, of: self, serial: nil)
  }

  /// Runs work that came after the launch.
  private func runLate(_ registration: LaunchRegistration, _ options: LaunchOptions) {
    if registration.kind == .inline {
      registration.outcome.resolve(registration.call(options))
    } else {
      Task { registration.outcome.resolve(await registration.run(options, for: nil)) }
    }
  }
}
