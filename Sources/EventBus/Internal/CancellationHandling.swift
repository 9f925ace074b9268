/// Runs an operation on the caller's actor, and a closure as soon as the task is cancelled.
///
/// `withTaskCancellationHandler` alone leaves the actor: its operation runs there only if it captures the
/// actor, which a closure in a function that merely stays with its caller does not (Swift 6.3). Then
/// others may have their turn between the call and the operation, and "it waits" and "it runs where it
/// was called" are no longer true.
///
/// - Parameters:
///   - isolation: The caller's isolation.
///   - operation: What to do. It runs where the caller does.
///   - handler: Called once if the task is, or meanwhile becomes, cancelled; on any thread.
/// - Returns: What the operation returns.
package func withCancellationHandling<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: nonisolated(nonsending) () async -> Result,
  onCancel handler: @Sendable () -> Void
) async -> Result {
  await withTaskCancellationHandler {  // Reason: the actor is captured, and so is not left.
    _ = isolation
    return await operation()
  } onCancel: {
    handler()
  }
}
