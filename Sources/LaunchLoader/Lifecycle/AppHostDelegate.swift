public import EventBus

/// An object that receives the state changes of a host.
///
/// ```swift
/// @MainActor
/// final class Desk: AppHostDelegate {
///   var title = "starting"
///
///   func applicationDidBecomeActive(_ app: AppHost) { title = "ready" }
///   func applicationWillTerminate(_ app: AppHost) async { await save() }
///
///   private func save() async { title = "saved" }
/// }
/// ```
///
/// Every method has a default implementation that does nothing. Each state change is also an event on the
/// bus, so features need not share the one delegate.
///
/// Methods are asynchronous so that classes on the main actor, and other isolated types, can conform without
/// annotations. A synchronous method fulfils the requirement as well.
///
/// The host waits for each method before it posts the event of the state change and goes on, whatever
/// the isolation of the method. If a method changes the state, the resulting changes follow the current one,
/// so a method that waits for them waits forever. After five seconds, and then every ten seconds, a message
/// names the method that is waited for.
///
/// The request to stop cancels the task of a method in progress, even of one that makes the request itself,
/// so that it can end early. Methods for state changes that were queued before the stop begin in a cancelled
/// task; those of the stop itself do not. A method that has not returned when
/// ``AppHost/Configuration/cancelTimeout`` has passed since the request, at the second interrupt or at the
/// cancellation of the run is cancelled, named in a message and abandoned; during the launch, it has
/// ``AppHost/Configuration/stopTimeout``.
///
/// ## Thread safety
///
/// Methods are called in the order of the state changes, with no lock held, and one at a time, except that others
/// follow one that was abandoned. Each method is called in a task that begins on the actor of the code that changes
/// the state; the delivery goes on there when it has returned.
public protocol AppHostDelegate: AnyObject, Sendable {
  /// The host is about to run its launch work, which waits for this method.
  func applicationWillFinishLaunching(_ app: AppHost, options: LaunchOptions) async
  /// The launch work has run. Services start when this method has returned.
  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) async
  /// Services have started, or the program is active again.
  func applicationDidBecomeActive(_ app: AppHost) async
  /// The program is about to become inactive, or to stop.
  func applicationWillResignActive(_ app: AppHost) async
  /// The program is in the background; at Control-Z, the process stops when this method has returned, or after
  /// ``AppHost/Configuration/stopTimeout``.
  func applicationDidEnterBackground(_ app: AppHost) async
  /// The program is about to return from the background.
  func applicationWillEnterForeground(_ app: AppHost) async
  /// Services stop when this method has returned: this is the last opportunity to use them.
  func applicationWillTerminate(_ app: AppHost) async
}

// Not asynchronous: an empty method needs no change of threads.
extension AppHostDelegate {
  /// Does nothing.
  public func applicationWillFinishLaunching(_ app: AppHost, options: LaunchOptions) {}
  /// Does nothing.
  public func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {}
  /// Does nothing.
  public func applicationDidBecomeActive(_ app: AppHost) {}
  /// Does nothing.
  public func applicationWillResignActive(_ app: AppHost) {}
  /// Does nothing.
  public func applicationDidEnterBackground(_ app: AppHost) {}
  /// Does nothing.
  public func applicationWillEnterForeground(_ app: AppHost) {}
  /// Does nothing.
  public func applicationWillTerminate(_ app: AppHost) {}
}

extension AppStateMachine.Edge {
  /// The name of the delegate method for the state change.
  var methodName: String {
    let name = "\(self)"
    let hasOptions = self == .willFinishLaunching || self == .didFinishLaunching
    return "application\(name.prefix(1).uppercased())\(name.dropFirst())"
      + (hasOptions ? "(_:options:)" : "(_:)")
  }

  /// Calls the delegate method for the state change.
  nonisolated(nonsending) func inform(
    _ delegate: any AppHostDelegate,
    from app: AppHost,
    _ options: LaunchOptions
  ) async {
    switch self {
    case .willFinishLaunching: await delegate.applicationWillFinishLaunching(app, options: options)
    case .didFinishLaunching: await delegate.applicationDidFinishLaunching(app, options: options)
    case .didBecomeActive: await delegate.applicationDidBecomeActive(app)
    case .willResignActive: await delegate.applicationWillResignActive(app)
    case .didEnterBackground: await delegate.applicationDidEnterBackground(app)
    case .willEnterForeground: await delegate.applicationWillEnterForeground(app)
    case .willTerminate: await delegate.applicationWillTerminate(app)
    }
  }
}

/// The events of an ``AppHost``; see also `willFinishLaunching` and `didFinishLaunching`.
extension EventNames {
  /// The host has become active: its services have started.
  public static let didBecomeActive = EventName<Void>(lifecycle: "application.didBecomeActive")

  /// The program is about to leave the foreground, or to stop.
  public static let willResignActive = EventName<Void>(lifecycle: "application.willResignActive")

  /// The program is in the background.
  public static let didEnterBackground = EventName<Void>(
    lifecycle: "application.didEnterBackground"
  )

  /// The program is about to return from the background.
  public static let willEnterForeground = EventName<Void>(
    lifecycle: "application.willEnterForeground"
  )

  /// The host is about to stop its services: this is the last opportunity to use them.
  ///
  /// The event is replayed to observers that register later.
  public static let willTerminate = EventName<Void>(
    lifecycle: "application.willTerminate",
    replay: 1
  )

  /// The program should reload its configuration.
  public static let appShouldReload = EventName<Void>(lifecycle: "application.shouldReload")

  /// The host has entered the state in the payload.
  ///
  /// The last event is replayed to observers that register later.
  public static let appStateDidChange = EventName<AppState>(
    lifecycle: "application.stateDidChange",
    replay: 1
  )

  /// A service has entered a state, for example because it is ready, or has ended with an error.
  ///
  /// An error that a service throws is in ``AppServiceStateChange/error``, even if the options of the service
  /// ignore it. The changes are posted in order on a separate thread, so observers delay no start, stop or
  /// deadline; `run` returns after the last. The event is posted only while this name has observers.
  /// Observers of every event then receive it as well, but they alone do not cause it to be posted.
  public static let appServiceStateDidChange = EventName<AppServiceStateChange>(
    lifecycle: "application.serviceStateDidChange"
  )
}
