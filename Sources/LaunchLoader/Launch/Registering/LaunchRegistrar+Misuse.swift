public import EventBus

// Overloads that only catch mistakes, as in EventBus: each fits the mistake and is unavailable, with a message
// that says what to write. They are disfavored, so that nothing else ever selects them.
@available(*, unavailable, message: "the closure does not fit the values; see the error inside it")
extension LaunchRegistrar {
  /// Not available: the work uses a member that a value does not have.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @discardableResult
  public func callAsFunction<A>(
    _ id: LaunchID? = nil,
    needs first: LaunchKey<A>,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, _HandlerParameter<A>) async throws -> Void
  ) -> LaunchRegistration {
    self { _ in }
  }

  /// Not available: the work uses a member that a value does not have.
  @_disfavoredOverload
  @_documentation(visibility: private)
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
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions, _HandlerParameter<A>, _HandlerParameter<B>)
      async throws -> Void
  ) -> LaunchRegistration {
    self { _ in }
  }
}
