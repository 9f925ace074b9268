public import EventBus

/// An object that an application tells about the edges of its life.
///
/// Every method has a default that does nothing. Each has an event on the bus as its twin, so features
/// need not share the one delegate.
///
/// ## Thread safety
///
/// Methods are called one at a time, in the order of the edges, outside every lock, each before its event
/// is posted: on the thread on which the state changes. What a method changes itself is told after the
/// edge it was told of.
public protocol ApplicationDelegate: AnyObject, Sendable {
  /// The application is about to run its launch work.
  func applicationWillFinishLaunching(_ app: Application, options: LaunchOptions)
  /// The launch work has run; services are about to start.
  func applicationDidFinishLaunching(_ app: Application, options: LaunchOptions)
  /// Services have started, or the program came back from the background.
  func applicationDidBecomeActive(_ app: Application)
  /// The program is about to leave the foreground, or to stop.
  func applicationWillResignActive(_ app: Application)
  /// The program is in the background.
  func applicationDidEnterBackground(_ app: Application)
  /// The program is about to come back from the background.
  func applicationWillEnterForeground(_ app: Application)
  /// Services are about to be stopped: the last moment to use them.
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

/// The edges of an ``Application``; see also `willFinishLaunching` and `didFinishLaunching`.
extension EventNames {
  /// The application has become active: its services have started.
  public static let didBecomeActive = EventName<Void>("application.didBecomeActive")

  /// The application is about to leave the foreground, or to stop.
  public static let willResignActive = EventName<Void>("application.willResignActive")

  /// The application is in the background.
  public static let didEnterBackground = EventName<Void>("application.didEnterBackground")

  /// The application is about to come back from the background.
  public static let willEnterForeground = EventName<Void>("application.willEnterForeground")

  /// The application is about to stop its services: the last moment to use them.
  ///
  /// The event is kept, so that an observer that comes late is told at once.
  public static let willTerminate = EventName<Void>("application.willTerminate", replay: 1)

  /// The program has been asked to read its configuration anew.
  public static let shouldReload = EventName<Void>("application.shouldReload")

  /// The terminal of the program has another size.
  public static let terminalDidResize = EventName<Void>("application.terminalDidResize")

  /// The application is in another state: this one.
  ///
  /// The last event is kept: an observer that comes late is told the state at once.
  public static let stateDidChange = EventName<AppState>("application.stateDidChange", replay: 1)

  /// A service has thrown an error, whatever its options make of it.
  public static let serviceDidFail = EventName<ServiceFailure>("application.serviceDidFail")
}
