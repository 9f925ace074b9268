/// Registering work that makes a value.
extension LaunchRegistrar {
  /// Registers a synchronous maker of a value; see <doc:Ordering>.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - dependencies: The work that must finish first, besides the makers of the needs.
  ///   - others: The work that must end first, however it ends, if it is registered.
  ///   - phase: The phase of the launch in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock; a value made later is released.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes.
  ///   - undo: A closure that undoes the work, called with the value, in a rollback only.
  ///   - close: A closure that closes the value after the services have stopped, or in a rollback that cannot undo it.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value.
  /// - Returns: The registration. Releasing it does not end it.
  @discardableResult
  public func callAsFunction<Value>(
    _ key: LaunchKey<Value>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Value
  ) -> LaunchRegistration {
    let work = LaunchWork(SynchronousClosure((), maker), making: key, undo: undo, close: close)
    return loader.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker of a value; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<Value>(
    _ key: LaunchKey<Value>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Value
  ) -> LaunchRegistration {
    let work = LaunchWork(AsynchronousClosure((), maker), making: key, undo: undo, close: close)
    return loader.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers a synchronous maker with one need; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<Value, A>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A) throws -> Value
  ) -> LaunchRegistration {
    let work = LaunchWork(SynchronousClosure((first), maker), making: key, undo: undo, close: close)
    return loader.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker with one need; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<Value, A>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A) async throws -> Value
  ) -> LaunchRegistration {
    let work = LaunchWork(
      AsynchronousClosure((first), maker),
      making: key,
      undo: undo,
      close: close
    )
    return loader.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers a synchronous maker with two needs; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<Value, A, B>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B) throws -> Value
  ) -> LaunchRegistration {
    let work = LaunchWork(
      SynchronousClosure((first, second), maker),
      making: key,
      undo: undo,
      close: close
    )
    return loader.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker with two needs; see <doc:Ordering>.
  @discardableResult
  public func callAsFunction<Value, A, B>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B) async throws -> Value
  ) -> LaunchRegistration {
    let work = LaunchWork(
      AsynchronousClosure((first, second), maker),
      making: key,
      undo: undo,
      close: close
    )
    return loader.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Diagnoses a maker whose result is not of the key's type.
  @available(*, unavailable, message: "the closure must return the type of its LaunchKey")
  public func callAsFunction<Value, each Need, Other>(
    _ key: LaunchKey<Value>,
    needs: repeat LaunchKey<each Need>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    close: (@Sendable (Value) async throws -> Void)? = nil,
    run maker: @escaping @Sendable (LaunchOptions, repeat each Need) async throws -> Other
  ) {}
}
