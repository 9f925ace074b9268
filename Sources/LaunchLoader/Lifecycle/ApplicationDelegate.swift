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
