/// Registering work that needs values.
extension LaunchRegistrar {
  /// Registers synchronous work that needs one value; see <doc:Ordering>.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line.
  ///   - first: The key of the value that the work needs.
  ///   - dependencies: The work that must finish first, besides the maker of the need.
  ///   - others: The work that must end first, however it ends, if it is registered.
  ///   - phase: The phase of the launch in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the value.
  /// - Returns: The registration. Releasing it does not end it.
  @discardableResult
  public func callAsFunction<A>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A) throws -> Void
  ) -> LaunchRegistration {
    let work = LaunchWork(SynchronousClosure((first), worker))
    return loader.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous work that needs one value; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<A>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A) async throws -> Void
  ) -> LaunchRegistration {
    let work = LaunchWork(AsynchronousClosure((first), worker))
    return loader.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers synchronous work that needs two values; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<A, B>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B) throws -> Void
  ) -> LaunchRegistration {
    let work = LaunchWork(SynchronousClosure((first, second), worker))
    return loader.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous work that needs two values; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<A, B>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B) async throws -> Void
  ) -> LaunchRegistration {
    let work = LaunchWork(AsynchronousClosure((first, second), worker))
    return loader.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }
}
