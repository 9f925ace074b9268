internal import EventBus

/// What the operating system asks of an application.
extension Application {
  /// The user sends the program to the background; before services have started, that is where they start.
  package func enterBackground(isolation: isolated (any Actor)? = #isolation) {
    change(.background)
  }

  /// The same; returns when everybody has been told, whoever tells them.
  ///
  /// A process that stops must wait for that: another thread may be in the middle of telling.
  package func enteredBackground(isolation: isolated (any Actor)? = #isolation) async {
    await changed(.background)
  }

  /// The user fetches the program back.
  package func enterForeground(isolation: isolated (any Actor)? = #isolation) {
    change(.foreground)
  }

  /// The program is asked to read its configuration again; returns when all handlers have done so, or are
  /// left behind.
  package func reload(isolation: isolated (any Actor)? = #isolation) async {
    if runner.isStopping { return }
    let done = pending.post(.shouldReload, on: bus, from: self)
    await Task { _ = await done.wait() }.value
  }

  /// The terminal of the program has another size.
  package func terminalDidResize(isolation: isolated (any Actor)? = #isolation) {
    bus.post(.terminalDidResize, from: self)
  }

  /// The user, or the system, wants the program to end.
  ///
  /// The first time everything is stopped in order; the second time everything is cancelled and the exit
  /// code is 128 plus the number, unless there is one; the third time the process ends at once, with that
  /// status.
  ///
  /// The third one ends the process on the calling thread. The others run code of users, on a thread of the
  /// concurrency runtime: the caller may be the thread that reads signals.
  ///
  /// - Parameter number: The number of the signal.
  package func interrupt(_ number: Int32) {
    switch locked.withLock({ $0.escalation.next(number) }) {
    case .shutdown: Task.detached { self.requestShutdown() }
    case .cancel(let exitCode): Task.detached { self.cancel(exitCode: exitCode) }
    case .exit(let status): ProcessExit.now(status)
    }
  }
}

/// What ties a running application to the operating system: its signals, its parent, and the manager of
/// services that may have started it.
///
/// It listens from its making to ``end()``; afterwards the process does on a signal what it did before.
final class SystemTie: Sendable {
  private let bridge: SignalBridge?
  private let manager: ServiceManager?
  private let tasks: [Task<Void, Never>]

  /// Ties an application, as its configuration says.
  init(_ application: Application) {
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
  func started() { manager?.started() }

  /// The end begins.
  func stopping() { manager?.stopping() }

  /// Stops listening; returns when no answer is under way.
  func end() async {
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

/// The rule of interrupts: ask, insist, leave.
///
/// A plain value.
package struct InterruptEscalation: Sendable {
  /// What an interrupt means.
  package enum Step: Sendable, Equatable {
    /// Stop in order.
    case shutdown
    /// Cancel everything; the exit code is this, unless there is one.
    case cancel(exitCode: Int32)
    /// End the process now, with this status.
    case exit(Int32)
  }

  private var count = 0

  /// Creates the rule of a process that nobody interrupted.
  package init() {}

  /// Takes in one more interrupt.
  ///
  /// - Parameter number: The number of the signal.
  /// - Returns: What it means.
  package mutating func next(_ number: Int32) -> Step {
    count = min(count + 1, 3)
    switch count {
    case 1: return .shutdown
    case 2: return .cancel(exitCode: 128 + number)
    default: return .exit(128 + number)
    }
  }
}
