/// Returns a handler without its isolation, so that it can be called synchronously.
///
/// An `@isolated(any)` closure cannot be called synchronously, even by code that runs in its isolation.
/// Callers of the converted form ensure that the handler is nonisolated, or that they run on its actor. The
/// cast goes through structures of one field, so that the closure keeps its representation and needs no
/// wrapper. Both structures of a pair constrain their parameters alike: a parameter known to be a class is
/// passed as a reference, any other by address.
package func withoutIsolation<Payload>(
  _ handler: @escaping @isolated(any) @Sendable (Payload) throws -> Void
) -> @Sendable (Payload) throws -> Void {
  let isolated = Isolated(call: handler)
  return unsafe unsafeBitCast(isolated, to: Bare<Payload>.self).call  // Reason: same layout.
}

/// Returns a handler that takes its owner, without its isolation.
package func withoutIsolation<Owner: AnyObject, Payload>(
  _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
) -> @Sendable (Owner, Payload) throws -> Void {
  let isolated = IsolatedForOwner(call: handler)
  return unsafe unsafeBitCast(isolated, to: BareForOwner.self).call  // Reason: same layout.
}

/// Returns a handler that takes its owner, without its isolation and the type of its owner.
///
/// Callers pass an owner of that type. A class is always passed as a reference, whatever its type.
func withoutIsolationAndOwnerType<Owner: AnyObject, Payload>(
  _ handler: @escaping @isolated(any) @Sendable (Owner, Payload) throws -> Void
) -> @Sendable (AnyObject, Payload) throws -> Void {
  typealias Untyped = BareForOwner<AnyObject, Payload>
  let isolated = IsolatedForOwner(call: handler)
  return unsafe unsafeBitCast(isolated, to: Untyped.self).call  // Reason: same layout.
}

/// Returns a handler that runs on the actor that owns it, without its isolation.
package func withoutIsolation<Owner: Actor, Payload>(
  onOwner handler: @escaping @Sendable (isolated Owner, Payload) throws -> Void
) -> @Sendable (Owner, Payload) throws -> Void {
  let isolated = IsolatedToOwner(call: handler)
  return unsafe unsafeBitCast(isolated, to: BareForOwner.self).call  // Reason: same layout.
}

private struct Isolated<Payload> {
  let call: @isolated(any) @Sendable (Payload) throws -> Void
}

private struct Bare<Payload> {
  let call: @Sendable (Payload) throws -> Void
}

private struct IsolatedForOwner<Owner: AnyObject, Payload> {
  let call: @isolated(any) @Sendable (Owner, Payload) throws -> Void
}

private struct IsolatedToOwner<Owner: Actor, Payload> {
  let call: @Sendable (isolated Owner, Payload) throws -> Void
}

private struct BareForOwner<Owner: AnyObject, Payload> {
  let call: @Sendable (Owner, Payload) throws -> Void
}

/// Returns an identifier of the current task, or 0 outside tasks.
///
/// Unique among running tasks. A later task may have the same identifier.
package func currentTaskID() -> Int {
  unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue ?? 0 }  // Reason: only hashed.
}
