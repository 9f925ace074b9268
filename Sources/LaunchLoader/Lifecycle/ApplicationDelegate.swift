public import EventBus

/// An object that receives the edges of an application.
///
/// Every method has an empty default implementation. Each edge is also an event on the bus, so features need
/// not share the one delegate.
///
/// ## Thread safety
///
/// Methods are called one at a time, in the order of the edges, outside every lock, each before its event is
/// posted, on the thread that changes the state. If a method changes the state, the resulting edges follow
/// after the current edge.
public protocol ApplicationDelegate: AnyObject, Sendable {
  /// The application is about to run its launch work.
  func applicationWillFinishLaunching(_ app: Application, options: LaunchOptions)
  /// The launch work has run; services are about to start.
  func applicationDidFinishLaunching(_ app: Application, options: LaunchOptions)
  /// Services have started, or the program has returned from the background.
  func applicationDidBecomeActive(_ app: Application)
  /// The program is about to leave the foreground, or to stop.
  func applicationWillResignActive(_ app: Application)
  /// The program is in the background.
  func applicationDidEnterBackground(_ app: Application)
  /// The program is about to return from the background.
  func applicationWillEnterForeground(_ app: Application)
  /// Services are about to stop: this is the last opportunity to use them.
  func applicationWillTerminate(_ app: Application)
}

extension ApplicationDelegate {
  /// Does nothing.
  public func applicationWillFinishLaunching(_ app: Application, options: LaunchOptions) {}
  /// Does nothing.
  public func applicationDidFinishLaunching(_ app: Application, options: LaunchOptions) {}
  /// Does nothing.
  public func applicationDidBecomeActive(_ app: Application) {}
  /// Does nothing.
  public func applicationWillResignActive(_ app: Application) {}
  /// Does nothing.
  public func applicationDidEnterBackground(_ app: Application) {}
  /// Does nothing.
  public func applicationWillEnterForeground(_ app: Application) {}
  /// Does nothing.
  public func applicationWillTerminate(_ app: Application) {}
}

/// The events of an ``Application``; see also `willFinishLaunching` and `didFinishLaunching`.
extension EventNames {
  /// The application has become active: its services have started.
  public static let didBecomeActive = EventName<Void>(lifecycle: "application.didBecomeActive")

  /// The application is about to leave the foreground, or to stop.
  public static let willResignActive = EventName<Void>(lifecycle: "application.willResignActive")

  /// The application is in the background.
  public static let didEnterBackground = EventName<Void>(
    lifecycle: "application.didEnterBackground"
  )

  /// The application is about to return from the background.
  public static let willEnterForeground = EventName<Void>(
    lifecycle: "application.willEnterForeground"
  )

  /// The application is about to stop its services: this is the last opportunity to use them.
  ///
  /// The event is replayed to observers that register later.
  public static let willTerminate = EventName<Void>(
    lifecycle: "application.willTerminate",
    replay: 1
  )

  /// The program should reload its configuration.
  public static let shouldReload = EventName<Void>(lifecycle: "application.shouldReload")

  /// The size of the terminal has changed.
  public static let terminalDidResize = EventName<Void>(lifecycle: "application.terminalDidResize")

  /// The application has entered the state in the payload.
  ///
  /// The last event is replayed to observers that register later.
  public static let stateDidChange = EventName<AppState>(
    lifecycle: "application.stateDidChange",
    replay: 1
  )

  /// A service has thrown an error, even if its options ignore the error.
  public static let serviceDidFail = EventName<ServiceFailure>(
    lifecycle: "application.serviceDidFail"
  )
}
