/// Launch work that is a type of its own.
///
/// ```swift
/// struct StartAnalytics: LaunchWorker {
///   static let dependencies: [LaunchID] = ["logging"]
///   func launch(_ options: LaunchOptions) async throws { print(options.reason) }
/// }
///
/// LaunchLoader.register(StartAnalytics.self)
/// ```
///
/// The loader creates the worker when its turn comes and releases it when it has finished or, with
/// ``FailurePolicy/rollback``, at the end of the launch. Because `launch(_:)` may suspend, it runs like
/// an asynchronous closure.
public protocol LaunchWorker: Sendable {
  /// The name of the work; by default the full name of the type.
  static var id: LaunchID { get }

  /// The work that must finish first; by default none.
  static var dependencies: [LaunchID] { get }

  /// The phase of the launch in which the work runs; by default the standard phase.
  static var phase: LaunchPhase { get }

  /// Creates the worker, immediately before it runs.
  init()

  /// Performs the work.
  ///
  /// The worker has begun once it is created. If this method then waits for its actor, it is called
  /// even if the worker is cancelled or exceeds its time limit meanwhile, in a task that is cancelled.
  ///
  /// - Parameter options: The circumstances in which the process was started.
  /// - Throws: Any error, which the report of the launch records.
  func launch(_ options: LaunchOptions) async throws

  /// Undoes the effects of `launch(_:)`; by default does nothing.
  ///
  /// Called on the same worker after it has finished, if the loader rolls back because another worker
  /// failed. The launch waits until it returns, but no longer than the `timeout` of the loader.
  func undo() async
}

extension LaunchWorker {
  /// The full name of the type.
  public static var id: LaunchID { LaunchID(String(reflecting: Self.self)) }

  /// No dependencies.
  public static var dependencies: [LaunchID] { [] }

  /// The standard phase.
  public static var phase: LaunchPhase { .standard }

  /// Does nothing.
  public func undo() async {}
}

/// The work of a registration, a closure or a type, classified by how it may be called.
package enum LaunchWork: Sendable {
  /// A synchronous closure of no actor, which is called directly.
  case inline(NonisolatedCall)
  /// A synchronous closure of an actor, which is called on that actor.
  case isolated(IsolatedCall, on: ObjectIdentifier)
  /// An asynchronous closure, which runs in a task.
  case asynchronous(AsynchronousCall)
  /// The type of a worker, which is asynchronous and can be undone.
  case type(any LaunchWorker.Type)

  /// Classifies a synchronous closure.
  init(_ call: IsolatedCall) {
    if let actor = call.body.isolation {
      self = .isolated(call, on: ObjectIdentifier(actor))
    } else {
      self = .inline(call.bare)
    }
  }

  /// The kind of the work.
  var kind: LaunchKind {
    switch self {
    case .inline: .inline
    case .isolated(_, let actor): .isolated(on: actor)
    case .asynchronous, .type: .asynchronous
    }
  }

  /// A Boolean value that indicates whether the work can be undone.
  var isUndoable: Bool {
    if case .type = self { true } else { false }
  }
}

/// The ways of calling work, as far as scheduling needs them.
package enum LaunchKind: Hashable, Sendable {
  /// Synchronous without an actor: called directly, on the launching thread.
  case inline
  /// Synchronous on an actor: called there. The closure keeps the actor alive.
  case isolated(on: ObjectIdentifier)
  /// Asynchronous: started in a task, and not awaited before the next one starts.
  case asynchronous
}

/// A synchronous closure and the isolation in which it was written.
///
/// Closures are stored in structures, because a bare closure inside a lock gains a wrapper on every
/// read. The structures are not generic, because a closure of generic type is stored in a wrapper,
/// which would be allocated at the registration, called through at the launch, and freed after it.
package struct IsolatedCall: Sendable {
  /// The closure, which hops to its actor when it is called from elsewhere.
  let body: @isolated(any) @Sendable (LaunchOptions) throws -> Void

  /// Stores a closure.
  package init(body: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void) {
    self.body = body
  }

  /// The same closure for direct calls, by code that runs on its actor, or by any code if it has none.
  ///
  /// `@isolated(any)` would forbid a synchronous call even there. The conversion changes only the type
  /// that the compiler sees.
  var bare: NonisolatedCall {
    unsafe unsafeBitCast(self, to: NonisolatedCall.self)  // Reason: one layout.
  }
}

/// A synchronous closure that belongs to no actor.
package struct NonisolatedCall: Sendable {
  /// The closure.
  let body: @Sendable (LaunchOptions) throws -> Void

  /// Stores a closure.
  package init(body: @escaping @Sendable (LaunchOptions) throws -> Void) {
    self.body = body
  }
}

/// An asynchronous closure and the isolation in which it was written.
package struct AsynchronousCall: Sendable {
  /// The closure, which runs on its own actor.
  let body: @isolated(any) @Sendable (LaunchOptions) async throws -> Void

  /// Stores a closure.
  package init(body: @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void) {
    self.body = body
  }
}
