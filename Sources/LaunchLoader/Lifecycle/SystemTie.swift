internal import EventBus

/// The requests of the operating system to an application.
extension Application {
  /// Sends the program to the background.
  ///
  /// Before services have started, they start there.
  package func enterBackground(isolation: isolated (any Actor)? = #isolation) {
    change(.background)
  }

  /// Sends the program to the background, and returns when the change is delivered, even if another call
  /// delivers it.
  ///
  /// A process must not stop while another thread is delivering an edge.
  package func enteredBackground(isolation: isolated (any Actor)? = #isolation) async {
    await changed(.background)
  }

  /// Returns the program to the foreground.
  package func enterForeground(isolation: isolated (any Actor)? = #isolation) {
    change(.foreground)
  }

  /// Requests a reload of the configuration, and returns when all handlers have finished or are left behind.
  package func reload(isolation: isolated (any Actor)? = #isolation) async {
    if runner.isStopping { return }
    let done = pending.post(.shouldReload, on: bus, from: self)
    await Task { _ = await done.wait() }.value
  }

  /// Reports that the size of the terminal has changed.
  package func terminalDidResize(isolation: isolated (any Actor)? = #isolation) {
    bus.post(.terminalDidResize, from: self)
  }

  /// Handles a signal that requests the end of the program.
  ///
  /// The first call stops everything in order. The second cancels everything; the exit code is 128 plus the
  /// number, unless one is set. The third ends the process immediately with that status.
  ///
  /// The third call ends the process on the calling thread. The others run user code, on a thread of the
  /// concurrency runtime, because the caller may be the thread that reads signals.
  ///
  /// - Parameter number: The number of the signal.
  package func interrupt(_ number: Int32) {
    switch locked.withLock({ $0.escalation.next(number) }) {
    case .shutdown: Task.detached { self.requestShutdown() }
    case .cancel(let exitCode): Task.detached { self.cancel(exitCode: exitCode) }
    case .exit(let status): ServiceProcess.end(status)
    }
  }
}

/// Connects a running application to the operating system: to its signals, its parent, and the service
/// manager that may have started it.
///
/// It listens from its creation to ``end()``, which restores the previous signal dispositions.
final class SystemTie: Sendable {
  private let bridge: SignalBridge
  private let manager: ServiceManager?
  private let tasks: [Task<Void, Never>]

  /// Connects an application as its configuration says.
  init(_ application: Application) {
    let configuration = application.configuration
    // A service manager sets variables in the process environment; use it unless the options contain another.
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
    if let manager, let interval = manager.socket.watchdogInterval {
      tasks.append(
        Task.detached {
          while !Task.isCancelled {
            manager.socket.watchdog()
            try? await Task.sleep(for: interval / 2)  // Reason: a cancellation ends the loop, too.
          }
        }
      )
    }
    self.bridge = bridge
    self.manager = manager
    self.tasks = tasks
  }

  /// Reports that the services have started.
  func started() { manager?.started() }

  /// Reports that the application stops.
  func stopping() { manager?.stopping() }

  /// Stops listening, and returns when no answer is in progress.
  func end() async {
    bridge.end()
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
}

/// The service manager that started the process.
///
/// It receives reload notifications only while services run.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Messages are sent under the lock to keep their order; no user
/// code runs there.
private final class ServiceManager: Sendable {
  private enum Phase: Sendable { case starting, running, stopping }

  let socket: NotifySocket
  private let phase = Locked(Phase.starting)

  init(_ socket: NotifySocket) { self.socket = socket }

  func started() {
    phase.withLock { phase in
      guard phase == .starting else { return }
      phase = .running
      socket.ready()
    }
  }

  func reloading() { phase.withLock { if $0 == .running { socket.reloading() } } }

  func reloaded() { phase.withLock { if $0 == .running { socket.ready() } } }

  func stopping() {
    phase.withLock { phase in
      phase = .stopping
      socket.stopping()
    }
  }
}

/// The escalation of interrupts: stop, cancel, exit.
///
/// A plain value.
package struct InterruptEscalation: Sendable {
  /// The effect of an interrupt.
  package enum Step: Sendable, Equatable {
    /// Stop in order.
    case shutdown
    /// Cancel everything, with this exit code unless one is set.
    case cancel(exitCode: Int32)
    /// End the process immediately with this status.
    case exit(Int32)
  }

  private var count = 0

  /// Creates an escalation without interrupts.
  package init() {}

  /// Counts an interrupt.
  ///
  /// - Parameter number: The number of the signal.
  /// - Returns: The effect of the interrupt.
  package mutating func next(_ number: Int32) -> Step {
    count = min(count + 1, 3)
    switch count {
    case 1: return .shutdown
    case 2: return .cancel(exitCode: 128 + number)
    default: return .exit(128 + number)
    }
  }
}
