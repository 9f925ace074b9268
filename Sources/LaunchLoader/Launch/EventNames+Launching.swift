public import EventBus

extension EventNames {
  /// The application is about to launch: its launch work has not run.
  public static let willFinishLaunching =
    EventName<LaunchOptions>("application.willFinishLaunching")

  /// The application has launched; loaders attached to the bus run their launch work now.
  ///
  /// The last event is kept, so that an observer that comes late is told at once.
  public static let didFinishLaunching =
    EventName<LaunchOptions>("application.didFinishLaunching", replay: 1)
}
