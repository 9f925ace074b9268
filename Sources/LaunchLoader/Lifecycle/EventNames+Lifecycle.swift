public import EventBus

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
