/// Registering work that needs values, with the shared loader.
extension LaunchLoader {
  /// Registers synchronous work that needs one value, with ``shared``.
  @discardableResult
  public static func register<A>(
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
  ) -> LaunchToken {
    let work = SynchronousExchange(nil, nil, (first), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous work that needs one value, with ``shared``.
  @discardableResult
  public static func register<A>(
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
  ) -> LaunchToken {
    let work = AsynchronousExchange(nil, nil, (first), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers synchronous work that needs two values, with ``shared``.
  @discardableResult
  public static func register<A, B>(
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
  ) -> LaunchToken {
    let work = SynchronousExchange(nil, nil, (first, second), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous work that needs two values, with ``shared``.
  @discardableResult
  public static func register<A, B>(
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
  ) -> LaunchToken {
    let work = AsynchronousExchange(nil, nil, (first, second), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers synchronous work that needs three values, with ``shared``.
  @discardableResult
  public static func register<A, B, C>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) throws -> Void
  ) -> LaunchToken {
    let work = SynchronousExchange(nil, nil, (first, second, third), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous work that needs three values, with ``shared``.
  @discardableResult
  public static func register<A, B, C>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) async throws -> Void
  ) -> LaunchToken {
    let work = AsynchronousExchange(nil, nil, (first, second, third), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers synchronous work that needs four values, with ``shared``.
  @discardableResult
  public static func register<A, B, C, D>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ fourth: LaunchKey<D>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) throws -> Void
  ) -> LaunchToken {
    let work = SynchronousExchange(nil, nil, (first, second, third, fourth), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous work that needs four values, with ``shared``.
  @discardableResult
  public static func register<A, B, C, D>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ fourth: LaunchKey<D>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) async throws -> Void
  ) -> LaunchToken {
    let work = AsynchronousExchange(nil, nil, (first, second, third, fourth), worker).work
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }
}
