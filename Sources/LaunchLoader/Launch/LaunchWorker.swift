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
  private struct Bare {
    let body: @Sendable (LaunchOptions) throws -> Void
  }

  private let bare: Bare

  /// Stores a closure.
  package init(body: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void) {
    // `@isolated(any)` would forbid a synchronous call, even by code that runs on the actor.
    bare = unsafe unsafeBitCast(Isolated(body: body), to: Bare.self)  // Reason: one layout.
  }

  /// The actor of the closure; `nil` if there is none.
  var isolation: (any Actor)? {
    unsafe unsafeBitCast(bare, to: Isolated.self).body.isolation  // Reason: one layout.
  }

  /// Calls the closure directly, from code that runs on its actor, or from any code if it has none.
  func callAsFunction(_ options: LaunchOptions) throws { try bare.body(options) }
}
