import EventBus
import LaunchLoader
import TestSupport

/// Notes each call with the current state; a subclass or a closure may do more.
final class RecordingDelegate: AppHostDelegate {
  private let log: Log<String>
  private let name: String
  private let then: @Sendable (AppHost, String) -> Void

  init(
    _ log: Log<String>,
    name: String = "",
    then: @escaping @Sendable (AppHost, String) -> Void = { _, _ in }
  ) {
    self.log = log
    self.name = name
    self.then = then
  }

  private func note(_ app: AppHost, _ edge: String) {
    log.append(name + edge)
    then(app, edge)
  }

  func applicationWillFinishLaunching(_ app: AppHost, options: LaunchOptions) {
    note(app, "willFinishLaunching \(options.arguments)")
  }
  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {
    note(app, "didFinishLaunching \(options.arguments)")
  }
  func applicationDidBecomeActive(_ app: AppHost) { note(app, "didBecomeActive") }
  func applicationWillResignActive(_ app: AppHost) { note(app, "willResignActive") }
  func applicationDidEnterBackground(_ app: AppHost) { note(app, "didEnterBackground") }
  func applicationWillEnterForeground(_ app: AppHost) { note(app, "willEnterForeground") }
  func applicationWillTerminate(_ app: AppHost) { note(app, "willTerminate") }
}

extension Stage {
  /// Notes every event of the bus in the log, with the current state.
  func noteEvents() -> Token {
    bus.observeAll { [log, app] event in log.append("\(event.name) in \(app.state)") }
  }
}
