internal import EventBus

/// The closures of a piece of launch work, and the keys of the values that they take and make.
///
/// Without the types of the values, so that a loader stores and calls work of two forms only.
package struct LaunchWork: Sendable {
  /// The work itself, in one of two forms.
  package enum Body: Sendable {
    /// Called on the launching thread or, if the work has an actor, there.
    case synchronous(any SynchronousWork)
    /// Runs in a separate task.
    case asynchronous(any AsynchronousWork)
  }

  /// A closure that undoes or closes what the work has made.
  typealias CleanUp = @Sendable (any Sendable) async throws -> Void

  /// The work itself, until it is taken out to be run.
  var body: Body?
  /// The actor in whose isolation the closure was written; `nil` if there is none, or if it is not known.
  var actor: (any Actor)?
  /// The key of the value that the work makes; `nil` if it makes none.
  package let makes: AnyLaunchKey?
  /// The keys of the values that the work takes, in order.
  let needs: [AnyLaunchKey]
  /// Undoes the work in a rollback.
  var undo: CleanUp?
  /// Closes the value that the work has made.
  var close: CleanUp?

  /// Creates work from a typed closure.
  ///
  /// - Parameters:
  ///   - closure: The closure.
  ///   - key: The key of the value that the closure makes; `nil` if it makes none.
  ///   - undo: A closure that undoes the work in a rollback.
  ///   - close: A closure that closes the value.
  package init<Closure: TypedWork>(
    _ closure: Closure,
    making key: LaunchKey<Closure.Value>? = nil,
    undo: (@Sendable (Closure.Value) async -> Void)? = nil,
    close: (@Sendable (Closure.Value) async throws -> Void)? = nil
  ) {
    (body, actor, makes, needs) = (closure.body, closure.actor, key, closure.needs)
    (self.undo, self.close) = (Self.withoutType(undo), Self.withoutType(close))
  }

  private static func withoutType<Value: Sendable>(
    _ cleanUp: (@Sendable (Value) async throws -> Void)?
  ) -> CleanUp? {
    guard let cleanUp else { return nil }
    return { value in if let value = value as? Value { try await cleanUp(value) } }
  }
}

/// A closure with its types, or the type of a worker.
package protocol TypedWork: Sendable {
  /// What the work makes, or what is to be undone.
  associatedtype Value: Sendable
  /// The work without its types.
  var body: LaunchWork.Body { get }
  /// The actor in whose isolation the closure was written.
  var actor: (any Actor)? { get }
  /// The keys of the values that the closure takes, in order.
  var needs: [AnyLaunchKey] { get }
}

/// Synchronous work; an object, because references are cheaper to move than closures with their values.
package protocol SynchronousWork: AnyObject, Sendable {
  /// Performs the work, in its isolation.
  ///
  /// - Returns: What the work makes, or what is to be undone.
  func call(_ options: LaunchOptions, _ values: LaunchValues) throws -> any Sendable
}

/// Asynchronous work.
package protocol AsynchronousWork: AnyObject, Sendable {
  /// Performs the work, from code that runs in its isolation.
  ///
  /// - Returns: What the work makes, or what is to be undone.
  nonisolated(nonsending) func run(
    _ options: LaunchOptions,
    _ values: LaunchValues
  ) async throws -> any Sendable
}

/// A synchronous closure that takes no values: most work is that, and a type without parameters stores it as it is.
package final class PlainClosure: TypedWork, SynchronousWork {
  package typealias Value = Void

  private struct Isolated {
    let closure: @isolated(any) @Sendable (LaunchOptions) throws -> Void
  }
  private struct Bare: Sendable {
    let closure: @Sendable (LaunchOptions) throws -> Void
  }

  private let bare: Bare
  package let actor: (any Actor)?

  /// Stores a closure.
  package init(_ closure: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void) {
    actor = closure.isolation
    // `@isolated(any)` would forbid a synchronous call, even by code that runs on the actor.
    bare = unsafe unsafeBitCast(Isolated(closure: closure), to: Bare.self)  // Reason: one layout.
  }

  package var body: LaunchWork.Body { .synchronous(self) }
  package var needs: [AnyLaunchKey] { [] }

  package func call(_ options: LaunchOptions, _ values: LaunchValues) throws -> any Sendable {
    try bare.closure(options)
  }
}

/// A synchronous closure and the keys of the values that it takes.
package final class SynchronousClosure<Value: Sendable, each Need: Sendable>: TypedWork,
  SynchronousWork, @unchecked Sendable  // Reason: constant.
{
  private struct Isolated {
    let closure: @isolated(any) @Sendable (LaunchOptions, repeat each Need) throws -> Value
  }
  private struct Bare: Sendable {
    let closure: @Sendable (LaunchOptions, repeat each Need) throws -> Value
  }

  private let keys: (repeat LaunchKey<each Need>)
  private let bare: Bare
  package let actor: (any Actor)?

  /// Stores a closure.
  package init(
    _ keys: (repeat LaunchKey<each Need>),
    _ closure: @escaping @isolated(any) @Sendable (LaunchOptions, repeat each Need) throws -> Value
  ) {
    (self.keys, actor) = (keys, closure.isolation)
    // As in a plain closure.
    bare = unsafe unsafeBitCast(Isolated(closure: closure), to: Bare.self)  // Reason: one layout.
  }

  package var body: LaunchWork.Body { .synchronous(self) }
  package var needs: [AnyLaunchKey] { array(repeat each keys) }

  package func call(_ options: LaunchOptions, _ values: LaunchValues) throws -> any Sendable {
    try bare.closure(options, repeat values.value(of: each keys))
  }
}

/// An asynchronous closure and the keys of the values that it takes.
package final class AsynchronousClosure<Value: Sendable, each Need: Sendable>: TypedWork,
  AsynchronousWork, @unchecked Sendable  // Reason: constant.
{
  private let keys: (repeat LaunchKey<each Need>)
  private let closure:
    @isolated(any) @Sendable (LaunchOptions, repeat each Need) async throws -> Value

  /// Stores a closure.
  package init(
    _ keys: (repeat LaunchKey<each Need>),
    _ closure:
      @escaping @isolated(any) @Sendable (LaunchOptions, repeat each Need) async throws -> Value
  ) {
    (self.keys, self.closure) = (keys, closure)
  }

  package var body: LaunchWork.Body { .asynchronous(self) }
  package var actor: (any Actor)? { closure.isolation }
  package var needs: [AnyLaunchKey] { array(repeat each keys) }

  nonisolated(nonsending) package func run(
    _ options: LaunchOptions,
    _ values: LaunchValues
  ) async throws -> any Sendable {
    try await closure(options, repeat values.value(of: each keys))
  }
}

/// The type of a worker, which is made when its turn comes, and whose actor is unknown.
final class WorkerType<Worker: LaunchWorker>: TypedWork, AsynchronousWork {
  typealias Value = Worker

  var body: LaunchWork.Body { .asynchronous(self) }
  var actor: (any Actor)? { nil }
  var needs: [AnyLaunchKey] { [] }

  nonisolated(nonsending) package func run(
    _ options: LaunchOptions,
    _ values: LaunchValues
  ) async throws -> any Sendable {
    let worker = Worker()
    try await worker.launch(options)
    return worker
  }
}

private func array<each Need>(_ keys: repeat LaunchKey<each Need>) -> [AnyLaunchKey] {
  var array: [AnyLaunchKey] = []
  for key in repeat each keys { array.append(key) }
  return array
}

/// Values by the names of their keys: those of a loader, or those that a worker needs.
///
/// The loader compares keys before it stores or looks up a value, so a value has the type of its key.
package typealias LaunchValues = [LaunchID: any Sendable]

extension LaunchValues {
  /// Returns the values of keys, without those that are missing.
  func picked(_ keys: [AnyLaunchKey]) -> LaunchValues {
    var values: LaunchValues = [:]
    for key in keys { values[key.name] = self[key.name] }
    return values
  }

  /// Returns a value that a worker needs.
  ///
  /// - Throws: ``LaunchError`` with the code `noValue`; a worker whose needs are not met never begins.
  fileprivate func value<Need>(of key: LaunchKey<Need>) throws -> Need {
    guard let stored = self[key.name], let value = stored as? Need else {
      throw LaunchError(.noValue(key.name, nil))
    }
    return value
  }
}

/// Launch work that is declared as a type.
///
/// ```swift
/// struct StartAnalytics: LaunchWorker {
///   static let dependencies: [LaunchID] = ["logging"]
///   func launch(_ options: LaunchOptions) async throws { print(options.arguments) }
/// }
///
/// LaunchLoader.register(StartAnalytics.self)
/// ```
///
/// The loader creates the worker when its turn comes and releases it when it has finished or, with
/// ``LaunchFailurePolicy/rollback``, at the end of the launch. Because `launch(_:)` may suspend, it runs like
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
