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
