/// Launch work in a type of its own.
///
/// ```swift
/// struct StartAnalytics: LaunchWorker {
///   static let dependencies: [LaunchID] = ["logging"]
///   func launch(_ options: LaunchOptions) async throws {
///     print(options[DeepLink.self] ?? "no link", options.reason)
///   }
/// }
/// LaunchLoader.register(StartAnalytics.self)
/// ```
///
/// The worker is created when its turn comes and let go of when it has finished; with
/// ``FailurePolicy/rollback``, at the end of the launch. Since `launch(_:)` may suspend, it runs like an
/// asynchronous closure.
public protocol LaunchWorker: Sendable {
  /// The name of the work; without one of its own, the full name of the type.
  static var id: LaunchID { get }

  /// The work that has to have finished first; by default none.
  static var dependencies: [LaunchID] { get }

  /// The phase of the launch that the work belongs to; by default the usual one.
  static var phase: LaunchPhase { get }

  /// Creates the worker, just before it runs.
  init()

  /// Does the work.
  ///
  /// The worker has begun when it is created: if this method then waits for its actor, it is called even
  /// if the worker is cancelled or takes too long meanwhile, in a task that is cancelled.
  ///
  /// - Parameter options: What the process was started with.
  /// - Throws: Whatever went wrong; the report of the launch records it.
  func launch(_ options: LaunchOptions) async throws

  /// Takes back what `launch(_:)` did; by default nothing.
  ///
  /// Called on the same worker, after it has finished, if the loader rolls back because another one
  /// failed. The launch does not end before it returns, or before it has taken the timeout of the launch.
  func undo() async
}

extension LaunchWorker {
  /// The full name of the type.
  public static var id: LaunchID { LaunchID(String(reflecting: Self.self)) }

  /// No dependencies.
  public static var dependencies: [LaunchID] { [] }

  /// The usual phase.
  public static var phase: LaunchPhase { .standard }

  /// Does nothing.
  public func undo() async {}
}

/// What a worker is to its launch: a closure or a type, sorted by how it may be called.
package enum LaunchWork: Sendable {
  /// Synchronous, of no actor: called directly.
  case inline(NonisolatedCall)
  /// Synchronous, of an actor: called there.
  case isolated(IsolatedCall, on: ObjectIdentifier)
  /// Asynchronous: gets a task.
  case asynchronous(AsynchronousCall)
  /// A type to make a worker of: asynchronous, and it can be undone.
  case type(any LaunchWorker.Type)

  /// Sorts a synchronous closure.
  package init(_ call: IsolatedCall) {
    if let actor = call.body.isolation {
      self = .isolated(call, on: ObjectIdentifier(actor))
    } else {
      self = .inline(call.bare)
    }
  }

  /// The kind, without the closure.
  package var kind: LaunchKind {
    switch self {
    case .inline: .inline
    case .isolated(_, let actor): .isolated(on: actor)
    case .asynchronous, .type: .asynchronous
    }
  }

  /// Whether it can be undone.
  package var isUndoable: Bool {
    if case .type = self { true } else { false }
  }
}

/// How a worker may be called; all that the order of a launch needs to know of it.
package enum LaunchKind: Hashable, Sendable {
  /// Synchronous, of no actor: called directly, on the launching thread.
  case inline
  /// Synchronous, of an actor: called there. The closure keeps the actor alive.
  case isolated(on: ObjectIdentifier)
  /// Asynchronous: started in a task, and not awaited before the next one starts.
  case asynchronous

  /// Whether code that cannot wait may call it.
  ///
  /// - Parameter actor: The actor that the code runs on, as far as it is known.
  /// - Returns: Whether a plain call is right.
  package func isCallable(on actor: ObjectIdentifier?) -> Bool {
    switch self {
    case .inline: true
    case .isolated(let home): home == actor
    case .asynchronous: false
    }
  }
}

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
