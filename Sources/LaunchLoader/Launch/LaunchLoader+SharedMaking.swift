/// Registering work that makes a value, with the shared loader.
extension LaunchLoader {
  /// Registers a synchronous maker of a value, with ``shared``.
  @discardableResult
  public static func register<Value>(
    _ key: LaunchKey<Value>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Value
  ) -> LaunchToken {
    let work = SynchronousExchange(key, undo, (), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker of a value, with ``shared``.
  @discardableResult
  public static func register<Value>(
    _ key: LaunchKey<Value>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Value
  ) -> LaunchToken {
    let work = AsynchronousExchange(key, undo, (), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers a synchronous maker with one need, with ``shared``.
  @discardableResult
  public static func register<Value, A>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A) throws -> Value
  ) -> LaunchToken {
    let work = SynchronousExchange(key, undo, (first), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker with one need, with ``shared``.
  @discardableResult
  public static func register<Value, A>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A) async throws -> Value
  ) -> LaunchToken {
    let work = AsynchronousExchange(key, undo, (first), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers a synchronous maker with two needs, with ``shared``.
  @discardableResult
  public static func register<Value, A, B>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B) throws -> Value
  ) -> LaunchToken {
    let work = SynchronousExchange(key, undo, (first, second), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker with two needs, with ``shared``.
  @discardableResult
  public static func register<Value, A, B>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B) async throws -> Value
  ) -> LaunchToken {
    let work = AsynchronousExchange(key, undo, (first, second), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers a synchronous maker with three needs, with ``shared``.
  @discardableResult
  public static func register<Value, A, B, C>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) throws -> Value
  ) -> LaunchToken {
    let work = SynchronousExchange(key, undo, (first, second, third), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker with three needs, with ``shared``.
  @discardableResult
  public static func register<Value, A, B, C>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) async throws -> Value
  ) -> LaunchToken {
    let work = AsynchronousExchange(key, undo, (first, second, third), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers a synchronous maker with four needs, with ``shared``.
  @discardableResult
  public static func register<Value, A, B, C, D>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ fourth: LaunchKey<D>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) throws -> Value
  ) -> LaunchToken {
    let work = SynchronousExchange(key, undo, (first, second, third, fourth), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers an asynchronous maker with four needs, with ``shared``.
  @discardableResult
  public static func register<Value, A, B, C, D>(
    _ key: LaunchKey<Value>,
    needs first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ fourth: LaunchKey<D>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run maker:
      @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) async throws -> Value
  ) -> LaunchToken {
    let work = AsynchronousExchange(key, undo, (first, second, third, fourth), maker).work
    return shared.add(key.name, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Gives a maker whose closure returns another type than the key names an error that says so.
  @available(*, unavailable, message: "the closure must return the type of its LaunchKey")
  public static func register<Value, each Need, Other>(
    _ key: LaunchKey<Value>,
    needs: repeat LaunchKey<each Need>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    undo: (@Sendable (Value) async -> Void)? = nil,
    run maker: @escaping @Sendable (LaunchOptions, repeat each Need) async throws -> Other
  ) {}
}
