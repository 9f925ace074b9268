/// A value that an interceptor has captured for one post.
///
/// It holds the hooks weakly: an event may be kept for replay long after they were removed.
class Interception: @unchecked Sendable {  // Reason: constants.
  private weak let installed: InstalledHooks?

  fileprivate init(_ installed: InstalledHooks) { self.installed = installed }

  fileprivate func surround(_ hooks: EventHooks, _ body: () -> Void) { body() }
  fileprivate func surround(_ hooks: EventHooks, _ body: () async -> Void) async { await body() }

  /// Captures the value of an interceptor.
  static func capture(_ event: AnyEvent, by installed: InstalledHooks) -> Interception? {
    func capture<Interceptor: EventInterceptor>(_ interceptor: Interceptor) -> Interception {
      Captured<Interceptor>(interceptor.capture(event), installed)
    }
    return installed.hooks.interceptor.map { capture($0) }
  }

  /// Runs a body inside the interceptor; directly if the hooks were removed.
  ///
  /// - Returns: The hooks, if their interceptor ran the body more than once.
  fileprivate func run(_ body: () -> Void) -> InstalledHooks? {
    guard let installed, installed.begin() else {
      body()
      return nil
    }
    defer { installed.finish() }
    var runs = 0
    RunningHook.run {
      surround(installed.hooks) {
        runs += 1
        if runs == 1 { RunningHook.suspend(body) }
      }
    }
    return runs > 1 ? installed : nil
  }

  /// Runs an asynchronous body inside the interceptor; directly if the hooks were removed.
  ///
  /// - Returns: The hooks, if their interceptor ran the body more than once.
  fileprivate func run(_ body: () async -> Void) async -> InstalledHooks? {
    guard let installed, installed.begin() else {
      await body()
      return nil
    }
    defer { installed.finish() }
    var runs = 0
    await installed.runAsync {
      await RunningHook.run {
        await surround(installed.hooks) {
          runs += 1
          if runs == 1 { await RunningHook.suspend(body) }
        }
      }
    }
    return runs > 1 ? installed : nil
  }
}

/// A value of a known type.
private final class Captured<Interceptor: EventInterceptor>: Interception,
  @unchecked Sendable  // Reason: a constant.
{
  private let context: Interceptor.Context

  init(_ context: Interceptor.Context, _ installed: InstalledHooks) {
    self.context = context
    super.init(installed)
  }

  override fileprivate func surround(_ hooks: EventHooks, _ body: () -> Void) {
    guard let interceptor = hooks.interceptor as? Interceptor else { return body() }
    interceptor.run(context, body)
  }

  override fileprivate func surround(_ hooks: EventHooks, _ body: () async -> Void) async {
    guard let interceptor = hooks.interceptor as? Interceptor else { return await body() }
    await runInheriting(interceptor, context, body)
  }
}

extension Hub {
  /// Runs a body inside interceptors, the first outermost.
  func intercept(_ interceptions: ArraySlice<Interception>, _ body: () -> Void) {
    guard let first = interceptions.first else { return body() }
    let repeating = first.run { intercept(interceptions.dropFirst(), body) }
    if let repeating { warnOfRepetition(by: repeating) }
  }

  /// Runs an asynchronous body inside interceptors, the first outermost.
  func intercept(_ interceptions: ArraySlice<Interception>, _ body: () async -> Void) async {
    guard let first = interceptions.first else { return await body() }
    let repeating = await first.run { await intercept(interceptions.dropFirst(), body) }
    if let repeating { warnOfRepetition(by: repeating) }
  }

  private func warnOfRepetition(by installed: InstalledHooks) {
    guard installed.isFirstRepeat, let interceptor = installed.hooks.interceptor else { return }
    message(
      "EventBus: the interceptor \(type(of: interceptor)) ran the body of a handler more than once."
        + " Only the first run counts; call the body once."
    )
  }
}
