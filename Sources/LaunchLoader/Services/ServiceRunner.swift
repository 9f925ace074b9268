internal import EventBus

/// Runs services: asks the rule, and does what it says.
///
/// Nothing waits inside it: whoever reports something also does what follows, on its own thread, and
/// neither code of a service nor a closure of its user is called there. Services are entered by a task
/// that does nothing else, one after the other.
///
/// ## Thread safety
///
/// Every member may be called from any thread; ``nextMilestone()`` by one task.
internal final class ServiceRunner: Sendable {
  internal typealias Machine = ServiceMachine<ServicePlace>

  /// Not private, for the closures of ``send(_:)``.
  internal struct State {
    fileprivate var machine: Machine
    fileprivate var isClaimed = false
  }

  private let state: Locked<State>
  private let clock: any Clock<Duration>
  private let news = Doorbell()
  private let onError: (@Sendable (_ service: String, any Error) -> Void)?

  /// Creates a runner without services.
  ///
  /// - Parameters:
  ///   - limits: How much time there is.
  ///   - clock: Measures that time.
  ///   - asksBeforeStopping: Whether nobody is stopped before the rule was given permission.
  ///   - onError: Is told of each error that a service throws, on the thread where it ended.
  internal init(
    limits: Machine.Limits,
    clock: any Clock<Duration>,
    asksBeforeStopping: Bool,
    onError: (@Sendable (_ service: String, any Error) -> Void)? = nil
  ) {
    self.clock = clock
    self.onError = onError
    state = Locked(
      State(machine: Machine(limits: limits, asksBeforeStopping: asksBeforeStopping))
    )
  }

  /// Whether the services are to be stopped, or were.
  internal var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  /// Claims the run; the first caller gets it.
  internal func claim() -> Bool {
    state.withLock { state in
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
  }

  /// Adds a service.
  internal func add(_ service: any Service, _ options: ServiceOptions) throws(ServiceError) {
    let place = ServicePlace(service)
    let name = service.name
    let actions = try state.withLock { state throws(ServiceError) in
      try state.machine.add(place, name: name, options).actions
    }
    perform(actions)
  }

  /// Tells the rule what has happened and does what follows.
  internal func send(_ event: (inout Machine) -> [Machine.Action]) {
    perform(state.withLock { event(&$0.machine) })
  }

  /// Waits for the next milestone, whoever is cancelled.
  internal func nextMilestone() async -> Machine.Milestone {
    while true {
      if let milestone = state.withLock({ $0.machine.takeMilestone() }) { return milestone }
      await news.wait()
    }
  }

  private func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .startServices: Task { await self.startServices() }
      case .stop(let place): place.signal.raise()
      case .cancel(let place): place.cancel()
      case .arm(let id, let place, let limit, let duration): arm(id, place, limit, duration)
      case .drop: break
      case .report(let name, let error): onError?(name, error)
      case .announce: news.ring()
      }
    }
  }

  /// Enters one service after the other, each when the one before has suspended or returned.
  ///
  /// On no actor, because only there does a task begin with the service itself instead of with a hop.
  @concurrent
  private func startServices() async {
    var previous: Machine.ID?
    while true {
      let (start, actions) = state.withLock { $0.machine.takeStart(after: previous) }
      perform(actions)
      guard let start else { return }
      enter(start.handle, start.id)
      previous = start.id
    }
  }

  /// Not a child task: whoever runs the services must be able to leave one behind.
  private func enter(_ place: ServicePlace, _ id: Machine.ID) {
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      task = Task.immediate { await self.run(place, id) }
    } else {
      task = Task { await self.run(place, id) }
    }
    place.adopt(task)
  }

  private func run(_ place: ServicePlace, _ id: Machine.ID) async {
    var failure: (any Error)?
    do {
      try await place.service.run(ServiceContext(place, id, of: self))
    } catch {
      failure = error
    }
    await place.finish()
    send { $0.ended(id, failure) }
  }

  private func arm(
    _ id: Machine.ID,
    _ place: ServicePlace,
    _ limit: Machine.Limit,
    _ duration: Duration
  ) {
    let clock = clock
    place.arm(
      Task {
        do { try await clock.sleep(for: duration) } catch { return }
        self.send { $0.timedOut(id, limit) }
      }
    )
  }
}
