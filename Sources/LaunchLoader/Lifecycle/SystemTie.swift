internal import EventBus

/// What ties a running application to the operating system: its signals, its parent, and the manager of
/// services that may have started it.
///
/// It listens from its making to ``end()``; afterwards the process does on a signal what it did before.
internal final class SystemTie: Sendable {
  private let bridge: SignalBridge?
  private let manager: ServiceManager?
  private let tasks: [Task<Void, Never>]

  /// Ties an application, as its configuration says.
  internal init(_ application: Application) {
    let configuration = application.configuration
    // What a service manager set is in the environment of the process, unless another one was given.
    let given = configuration.launchOptions?.environment ?? [:]
    let environment = given.isEmpty ? LaunchOptions.current.environment : given
    let manager = NotifySocket(environment: environment) {
      [messages = application.messages] message in messages.send(message)
    }
    .map { ServiceManager($0) }
    let bridge = Self.bridge(to: application, manager)
    var tasks = [Task.detached { await bridge.run() }]
    if configuration.endsWithParent {
      let watch = ParentWatch()
      tasks.append(
        Task.detached {
          guard (try? await watch.untilEnd()) != nil else { return }  // Reason: cancelled.
          application.shutdown()
        }
      )
    }
    if let manager, let interval = manager.watchdogInterval {
      tasks.append(Task.detached { await Self.feed(manager, every: interval / 2) })
    }
    self.bridge = bridge
    self.manager = manager
    self.tasks = tasks
  }

  /// The services have started.
  internal func started() { manager?.started() }

  /// The end begins.
  internal func stopping() { manager?.stopping() }

  /// Stops listening; returns when no answer is under way.
  internal func end() async {
    bridge?.end()
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private static func bridge(
    to application: Application,
    _ manager: ServiceManager?
  ) -> SignalBridge {
    SignalBridge(
      application.configuration.signals,
      onMessage: { [messages = application.messages] in messages.send($0) },
      interrupt: { application.interrupt($0) },
      hangup: { Task.detached { application.requestShutdown() } },
      background: { await application.enteredBackground() },
      foreground: { application.enterForeground() },
      reload: {
        manager?.reloading()
        await application.reload()
        if !application.runner.isStopping { manager?.reloaded() }
      },
      resize: { application.terminalDidResize() }
    )
  }

  private static func feed(_ manager: ServiceManager, every interval: Duration) async {
    while !Task.isCancelled {
      manager.watchdog()
      try? await Task.sleep(for: interval)  // Reason: a cancellation ends the loop, too.
    }
  }
}

/// The manager that started the process, and what it was sent last: it hears of a reload only while services
/// run.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Messages are sent under the lock, which is what keeps them in
/// order; no code of users runs there.
private final class ServiceManager: Sendable {
  private enum Phase: Sendable { case starting, running, stopping }

  private struct State: Sendable {
    var phase = Phase.starting
  }

  private let socket: NotifySocket
  private let state = Locked(State())

  init(_ socket: NotifySocket) { self.socket = socket }

  var watchdogInterval: Duration? { socket.watchdogInterval }

  func started() {
    state.withLock { state in
      guard state.phase == .starting else { return }
      state.phase = .running
      socket.ready()
    }
  }

  func reloading() { state.withLock { if $0.phase == .running { socket.reloading() } } }

  func reloaded() { state.withLock { if $0.phase == .running { socket.ready() } } }

  func stopping() {
    state.withLock { state in
      state.phase = .stopping
      socket.stopping()
    }
  }

  func watchdog() { socket.watchdog() }
}
