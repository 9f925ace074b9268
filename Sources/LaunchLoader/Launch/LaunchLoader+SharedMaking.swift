extension LaunchLoader {
  /// Registers launch work that makes a value, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(maker) { LaunchBox($0) }
    return shared.add(key, [], terms, work, undo)
  }

  /// Registers asynchronous launch work that makes a value, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(maker) { LaunchBox($0) }
    return shared.add(key, [], terms, work, undo)
  }

  /// Registers launch work that makes a value, from one value of other work, with the process-wide
  /// loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of the value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the value.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, maker) { LaunchBox($0) }
    return shared.add(key, [first], terms, work, undo)
  }

  /// Registers asynchronous launch work that makes a value, from one value of other work, with the
  /// process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of the value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the value.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, maker) { LaunchBox($0) }
    return shared.add(key, [first], terms, work, undo)
  }

  /// Registers launch work that makes a value, from two values of other work, with the process-wide
  /// loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the values in the order of
  ///     their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, second, maker) { LaunchBox($0) }
    return shared.add(key, [first, second], terms, work, undo)
  }

  /// Registers asynchronous launch work that makes a value, from two values of other work, with the
  /// process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the values in the order of
  ///     their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, second, maker) { LaunchBox($0) }
    return shared.add(key, [first, second], terms, work, undo)
  }

  /// Registers launch work that makes a value, from three values of other work, with the
  /// process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the values in the order of
  ///     their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, second, third, maker) { LaunchBox($0) }
    return shared.add(key, [first, second, third], terms, work, undo)
  }

  /// Registers asynchronous launch work that makes a value, from three values of other work, with
  /// the process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the values in the order of
  ///     their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, second, third, maker) { LaunchBox($0) }
    return shared.add(key, [first, second, third], terms, work, undo)
  }

  /// Registers launch work that makes a value, from four values of other work, with the
  /// process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - fourth: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the values in the order of
  ///     their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, second, third, fourth, maker) { LaunchBox($0) }
    return shared.add(key, [first, second, third, fourth], terms, work, undo)
  }

  /// Registers asynchronous launch work that makes a value, from four values of other work, with
  /// the process-wide loader.
  ///
  /// - Parameters:
  ///   - key: The key of the value, whose name is the name of the work.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - fourth: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - undo: A closure that a rollback calls with the value.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - maker: A closure that makes the value, from the options and the values in the order of
  ///     their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    let work = LaunchExchange.taking(first, second, third, fourth, maker) { LaunchBox($0) }
    return shared.add(key, [first, second, third, fourth], terms, work, undo)
  }
}
