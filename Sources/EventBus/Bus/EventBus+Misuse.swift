// Overloads that only catch mistakes. A closure with a wrong number of parameters fits none of the others,
// and for names written with a leading dot the compiler (Swift 6.3) then reports only that it "failed to
// produce diagnostic". Each of these fits the mistake and is unavailable, with a message that says what to
// write. They are disfavored, so that nothing else ever selects them.
extension EventBus {
  /// Not available: the handler takes the payload.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(
    *,
    unavailable,
    message: "the handler takes the payload: write { payload in … }, or { _ in … } to ignore it"
  )
  public func observe<Payload>(
    _ name: EventName<Payload>,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Token {
    .unavailable
  }

  /// Not available: the handler takes one parameter.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(
    *,
    unavailable,
    message:
      "the handler takes one parameter, the payload; the owner comes first only with 'owner:'"
  )
  public func observe<Payload>(
    _ name: EventName<Payload>,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Payload, Any) async throws -> Void
  ) -> Token {
    .unavailable
  }
}

extension Token {
  /// The result of functions that cannot be called.
  fileprivate static var unavailable: Token { Token {} }
}
