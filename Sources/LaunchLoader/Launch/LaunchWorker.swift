/// Launch work in a type of its own.
///
/// ```swift
/// struct StartAnalytics: LaunchWorker {
///   func launch(_ options: LaunchOptions) async throws {
///     print(options[DeepLink.self] ?? "no link", options.reason)
///   }
/// }
/// LaunchLoader.register(StartAnalytics.self)
/// ```
///
/// The worker is created when its turn comes and let go of when it has finished. Since `launch(_:)` may
/// suspend, it runs like an asynchronous closure.
public protocol LaunchWorker: Sendable {
  /// The name of the work; without one of its own, the full name of the type.
  static var id: LaunchID { get }

  /// Creates the worker, just before it runs.
  init()

  /// Does the work.
  ///
  /// - Parameter options: What the process was started with.
  /// - Throws: Whatever went wrong; the report of the launch records it.
  func launch(_ options: LaunchOptions) async throws
}

extension LaunchWorker {
  /// The full name of the type.
  public static var id: LaunchID { LaunchID(String(reflecting: Self.self)) }
}
