public import EventBus

/// Launching by an event on a bus.
extension LaunchLoader {
  /// Launches when `EventNames.didFinishLaunching` is posted on a bus.
  ///
  /// The first event starts the launch, unless the loader has launched already. When the post returns,
  /// the synchronous workers of no actor, and those of the posting actor, have run, except for those
  /// that must wait. Errors of workers go to the report and never reach the poster. If the event was
  /// posted before, this call launches immediately, with the options of the latest event, and runs the
  /// synchronous workers of no actor that need not wait before it returns. The attachment keeps the
  /// loader alive and ends when the launch begins, whatever starts it. A loader may be attached to
  /// several buses. Attaching a loader that has launched does nothing.
  ///
  /// - Parameter bus: The bus to observe.
  /// - Returns: The attachment. Releasing it detaches the loader.
  /// - Complexity: Amortized O(1), plus the cost of the launch if the event was posted before.
  public func attach(to bus: EventBus) -> Token {
    let token = bus.observePoster(of: .didFinishLaunching) { options, actor in
      self.begin(options, on: actor)?.runNow()
    }
    token.registration.join(attachments.members)
    if let options = bus.latest(.didFinishLaunching) { begin(options, on: nil)?.runNow() }
    return token
  }
}

extension EventNames {
  /// Posted when the application is about to launch, before its launch work runs.
  public static let willFinishLaunching =
    EventName<LaunchOptions>(lifecycle: "application.willFinishLaunching")

  /// Posted when the application has launched; loaders attached to the bus then run their launch work.
  ///
  /// The last event is kept and replayed to observers that are added later.
  public static let didFinishLaunching =
    EventName<LaunchOptions>(lifecycle: "application.didFinishLaunching", replay: 1)
}
