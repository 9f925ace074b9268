internal import EventBus

/// A synchronous closure together with the isolation it was written in.
///
/// Closures are kept in structures, never bare: a bare one inside a lock grows by a wrapper on every
/// read.
package struct IsolatedCall<Input>: Sendable {
  /// The closure, which hops to its actor when it is called from elsewhere.
  package let body: @isolated(any) @Sendable (Input) throws -> Void

  /// Keeps a closure.
  package init(body: @escaping @isolated(any) @Sendable (Input) throws -> Void) {
    self.body = body
  }

  /// The same closure for direct calls: by code that runs on its actor, or by any if it has none.
  package var bare: @Sendable (Input) throws -> Void { WrittenHandler.bare(body) }
}

/// A synchronous closure that belongs to no actor.
package struct NonisolatedCall<Input>: Sendable {
  /// The closure.
  package let body: @Sendable (Input) throws -> Void

  /// Keeps a closure.
  package init(body: @escaping @Sendable (Input) throws -> Void) {
    self.body = body
  }
}

/// An asynchronous closure together with the isolation it was written in.
package struct AsynchronousCall<Input>: Sendable {
  /// The closure, which runs on its own actor, whoever calls.
  package let body: @isolated(any) @Sendable (Input) async throws -> Void

  /// Keeps a closure.
  package init(body: @escaping @isolated(any) @Sendable (Input) async throws -> Void) {
    self.body = body
  }
}
