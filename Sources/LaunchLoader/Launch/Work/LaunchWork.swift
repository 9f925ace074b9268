/// The work of a registration, a closure or a type.
///
/// A closure that is stored in a lock must be part of a named type that is not generic: otherwise it gains
/// a wrapper on every read, or when it is stored.
package enum LaunchWork: Sendable {
  /// A synchronous closure, which is called directly or on its actor.
  case synchronous(LaunchCall)
  /// An asynchronous closure, which runs in a task.
  case asynchronous(@isolated(any) @Sendable (LaunchOptions) async throws -> Void)
  /// A closure that takes values or makes one.
  case exchange(LaunchExchange)
  /// The type of a worker, which is asynchronous and can be undone.
  case type(any LaunchWorker.Type)
}

/// A synchronous closure and the isolation in which it was written.
package struct LaunchCall: Sendable {
  private struct Isolated {
    let body: @isolated(any) @Sendable (LaunchOptions) throws -> Void
  }

  private let body: @Sendable (LaunchOptions) throws -> Void

  /// Stores a closure.
  package init(body: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void) {
    // `@isolated(any)` would forbid a synchronous call, even by code that runs on the actor.
    self = unsafe unsafeBitCast(Isolated(body: body), to: LaunchCall.self)  // Reason: one layout.
  }

  /// The actor of the closure; `nil` if there is none.
  var isolation: (any Actor)? {
    unsafe unsafeBitCast(self, to: Isolated.self).body.isolation  // Reason: one layout.
  }

  /// Calls the closure directly, from code that runs on its actor, or from any code if it has none.
  func callAsFunction(_ options: LaunchOptions) throws { try body(options) }
}
