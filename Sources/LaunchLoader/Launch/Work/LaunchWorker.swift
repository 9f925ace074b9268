/// Launch work that is a type of its own.
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
