// Overloads that only catch mistakes. For names written with a leading dot, the compiler (Swift 6.3) reports
// only that it "failed to produce diagnostic" when a closure has a wrong number of parameters, and blames the
// name when a closure uses a member that the payload lacks. Each of these fits the mistake and is unavailable,
// with a message that says what to write. They are disfavored, so that nothing else ever selects them.
@available(*, unavailable, message: "the handler does not fit the payload; see the error inside it")
extension EventBus {
  /// Not available: the handler uses a member that the payload does not have.
  @_disfavoredOverload
  @_documentation(visibility: private)
  public func observe<Payload>(
    _ name: EventName<Payload>,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (_HandlerParameter<Payload>) async throws -> Void
  ) -> Token { .unavailable }

  /// Not available: the handler uses a member that the payload does not have.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @discardableResult
  public func observe<Owner: AnyObject & Sendable, Payload>(
    _ name: EventName<Payload>,
    owner: Owner,
    from sender: AnyObject? = nil,
    priority: Priority = .normal,
    once: Bool = false,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    @_inheritActorContext
    _ handler:
      @escaping @isolated(any) @Sendable (Owner, _HandlerParameter<Payload>) async throws -> Void
  ) -> Token { .unavailable }
}

extension EventBus {
  /// Not available: this event has a payload.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(*, unavailable, message: "this event has a payload: write post(name, payload)")
  @discardableResult
  public func post<Payload>(
    _ name: EventName<Payload>,
    from sender: AnyObject? = nil
  ) -> Int { 0 }

  /// Not available: this event has a payload.
  @_disfavoredOverload
  @_documentation(visibility: private)
  @available(*, unavailable, message: "this event has a payload: write enqueue(name, payload)")
  public func enqueue<Payload>(
    _ name: EventName<Payload>,
    from sender: AnyObject? = nil,
    coalescing: Coalescing = .none
  ) {}

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
  ) -> Token { .unavailable }

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
  ) -> Token { .unavailable }
}

extension Token {
  /// The result of functions that cannot be called.
  fileprivate static var unavailable: Token { Token {} }
}

/// Stands for the parameter of a closure that uses a member which the parameter's type does not have.
///
/// Occurs in messages of the compiler only; no values can be created.
@_documentation(visibility: private)
@dynamicMemberLookup
public struct _HandlerParameter<Value: Sendable>: Sendable {
  private let value: Value

  /// A property that the type has.
  public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member {
    value[keyPath: path]
  }

  /// Not available: the type has no such property.
  @available(
    *,
    unavailable,
    message:
      "no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }"
  )
  public subscript(dynamicMember name: String) -> _NoSuchMember { _NoSuchMember() }
}

/// Stands for the value of a member that does not exist.
///
/// Occurs in messages of the compiler only; no values can be created.
@_documentation(visibility: private)
@dynamicMemberLookup
@dynamicCallable
public struct _NoSuchMember: Sendable {
  fileprivate init() {}

  /// A member of the member.
  public subscript(dynamicMember name: String) -> _NoSuchMember { self }

  /// A call of the member.
  @discardableResult
  public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>)
    -> _NoSuchMember
  {
    self
  }
}
