extension LaunchLoader {
  /// Registers launch work that needs one value, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of the value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the value.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(id, [first], terms, .taking(first, worker) { _ in nil })
  }

  /// Registers asynchronous launch work that needs one value, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of the value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the value.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(id, [first], terms, .taking(first, worker) { _ in nil })
  }

  /// Registers launch work that needs two values, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the values in the order of their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(id, [first, second], terms, .taking(first, second, worker) { _ in nil })
  }

  /// Registers asynchronous launch work that needs two values, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the values in the order of their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(id, [first, second], terms, .taking(first, second, worker) { _ in nil })
  }

  /// Registers launch work that needs three values, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the values in the order of their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(
      id,
      [first, second, third],
      terms,
      .taking(first, second, third, worker) { _ in nil }
    )
  }

  /// Registers asynchronous launch work that needs three values, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the values in the order of their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(
      id,
      [first, second, third],
      terms,
      .taking(first, second, third, worker) { _ in nil }
    )
  }

  /// Registers launch work that needs four values, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - fourth: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the values in the order of their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(
      id,
      [first, second, third, fourth],
      terms,
      .taking(first, second, third, fourth, worker) { _ in nil }
    )
  }

  /// Registers asynchronous launch work that needs four values, with the process-wide loader.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one, it is named after its file and line.
  ///   - first: The key of a value.
  ///   - second: The key of a value.
  ///   - third: The key of a value.
  ///   - fourth: The key of a value.
  ///   - dependencies: More work that must finish first.
  ///   - others: The work that must end first, if it is registered.
  ///   - phase: The phase in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock.
  ///   - condition: A closure that decides whether the work runs.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work, called with the options and the values in the order of their keys.
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let site = LaunchSite(fileID: fileID, line: line)
    let terms = LaunchTerms(dependencies, others, phase, timeout, condition, site)
    return shared.add(
      id,
      [first, second, third, fourth],
      terms,
      .taking(first, second, third, fourth, worker) { _ in nil }
    )
  }
}
