/// A synchronous closure together with the isolation it was written in.
///
/// Closures are kept in structures, never bare: a bare one inside a lock grows by a wrapper on every
/// read. Nor are the structures generic: a closure of a generic type is kept in a wrapper, which is
/// allocated at the registration, called through at the launch, and freed after it.
package struct IsolatedCall: Sendable {
  /// The closure, which hops to its actor when it is called from elsewhere.
  package let body: @isolated(any) @Sendable (LaunchOptions) throws -> Void

  /// Keeps a closure.
  package init(body: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void) {
    self.body = body
  }

  /// The same closure for direct calls: by code that runs on its actor, or by any if it has none.
  ///
  /// `@isolated(any)` would keep it from being called synchronously even there; it changes no more than
  /// what the compiler lets one do with the closure.
  package var bare: NonisolatedCall { SameLayout.view(self, as: NonisolatedCall.self) }
}

/// A synchronous closure that belongs to no actor.
package struct NonisolatedCall: Sendable {
  /// The closure.
  package let body: @Sendable (LaunchOptions) throws -> Void

  /// Keeps a closure.
  package init(body: @escaping @Sendable (LaunchOptions) throws -> Void) {
    self.body = body
  }
}

/// An asynchronous closure together with the isolation it was written in.
package struct AsynchronousCall: Sendable {
  /// The closure, which runs on its own actor, whoever calls.
  package let body: @isolated(any) @Sendable (LaunchOptions) async throws -> Void

  /// Keeps a closure.
  package init(body: @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void) {
    self.body = body
  }
}
