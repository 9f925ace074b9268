internal import EventBus

/// The requests of the operating system to a host.
extension AppHost {
  /// Sends the program to the background, and returns when the change is delivered, even if another call
  /// delivers it, and methods of the delegate suspend.
  ///
  /// A process should not stop while a state change is being delivered. After
  /// ``Configuration/stopTimeout``, the call returns nevertheless, and a message names the methods and
  /// handlers that go on.
  package func enteredBackground(isolation: isolated (any Actor)? = #isolation) async {
    let isOver = Latch()
    // In a separate task, because a method may block its thread.
    Task {
      _ = isolation
      await changed(.background)
      isOver.open()
    }
    await wait(for: isOver, within: configuration.stopTimeout) { [self] limit in
      let names = calls.names.joined(separator: ", ")
      let text = "Going to the background takes longer than \(limit.shortText)"
      messages.send(names.isEmpty ? "\(text)." : "\(text): not waiting for \(names).")
    }
  }

  /// Returns the program to the foreground, with the activity that the system reported last.
  package func enteredForeground(isolation: isolated (any Actor)? = #isolation) {
    change(.foreground)
  }

  /// Requests a reload of the configuration, and returns when all handlers have finished or are abandoned: at the latest
  /// after ``Configuration/cancelTimeout``, or with the handlers of the stop.
  package func reload(isolation: isolated (any Actor)? = #isolation) async {
    let name = EventNames.appShouldReload
    // Listed before the look at the stop, which waits for every reload that has begun.
    let call = calls.list(handlersOf: name.name, of: self, mayBeAbandoned: true)
    if runner.isStopRequested { return calls.finish(call) }
    // In a separate task, because a handler may block its thread.
    Task {
      _ = isolation
      // Not if it was abandoned before its turn.
      if call.end.isOpen { return }
      calls.suspend(call, until: bus.postCounting(name, (), from: self))
    }
    await wait(for: call.end, within: configuration.cancelTimeout) { [calls] limit in
      calls.abandon(call, because: ": the reload did not end within \(limit.shortText)")
    }
  }

  /// Waits until a latch is open, regardless of cancellation, and opens it when a limit has expired.
  private func wait(
    for latch: Latch,
    within limit: Duration?,
    isolation: isolated (any Actor)? = #isolation,
    else sayWhy: @escaping @Sendable (Duration) -> Void
  ) async {
    let timer = limit.map { limit in
      after(max(.zero, limit), clock: configuration.clock) { _ in
        if latch.isOpen { return }
        sayWhy(limit)
        latch.open()
      }
    }
    await latch.waitUncancelled()
    timer?.cancel()
  }

  /// Handles a signal that requests the end of the program.
  ///
  /// The first interrupt stops everything in order. The second cancels everything; the exit code is 128 plus the
  /// number, unless one is set. The third ends the process immediately with that status. A call that soon follows
  /// the last one is treated as the same interrupt: see ``InterruptCount``.
  ///
  /// The third interrupt ends the process on the calling thread. The others run user code, on a thread of the
  /// concurrency runtime, because the caller may be the thread that reads signals. The clock of the host is
  /// read on the calling thread.
  ///
  /// - Parameter number: The number of the signal.
  package func interrupt(_ number: Int32) {
    let time = stopwatch.elapsed()
    switch locked.withLock({ $0.interrupts.arrive(at: time) }) {
    case nil: break
    case 1: Task.detached { self.requestShutdown() }
    case 2: Task.detached { self.cancel(exitCode: 128 + number) }
    default: ServiceProcess.end(128 + number)
    }
  }
}

/// Counts the interrupts: the signals that request the end of the program.
///
/// A plain value. One Control-C may arrive twice, from the terminal, which sends it to every process of the job, and
/// from a wrapper among these, which passes it on. An interrupt less than half a second after the last one is
/// therefore the same, whatever the two signals are.
struct InterruptCount: Sendable {
  private var count = 0
  private var last: Duration?

  /// Records an arrival.
  ///
  /// - Parameter time: The time of the arrival, on any clock.
  /// - Returns: The number of the interrupt, from 1; `nil` if it is the same as the last one.
  mutating func arrive(at time: Duration) -> Int? {
    defer { last = max(time, last ?? time) }
    if let last, time - last < .milliseconds(500) { return nil }
    count += 1
    return count
  }
}

/// Connects a running host to the operating system: to its signals, its parent, and the service
/// manager that may have started it.
///
/// It listens from its creation to ``end()``, which restores the previous signal dispositions.
final class SystemConnection: Sendable {
  /// The connection to the service manager, if one started the process.
  let manager: NotifySocket?
  private let bridge: SignalBridge
  private let tasks: [Task<Void, Never>]
  /// Not awaited at the end: it calls a closure of the program.
  private let watchdog: Task<Void, Never>?

  /// Connects a host as its configuration says.
  init(_ application: AppHost) {
    let configuration = application.configuration
    // A service manager sets variables in the process environment; use it unless the options contain
    // another.
    let given = configuration.launchOptions?.environment ?? [:]
    let environment = given.isEmpty ? LaunchOptions.current.environment : given
    let manager = NotifySocket(environment: environment) {
      [messages = application.messages] message in messages.send(message)
    }
    if !configuration.keepsNotifySocket { NotifySocket.removeVariables(readFrom: environment) }
    let bridge = Self.bridge(to: application, manager)
    var tasks = [Task.detached { await bridge.run() }]
    if configuration.endsWithParent {
      let parent = ServiceProcess.parent
      tasks.append(
        Task.detached {
          let end: Void? = try? await untilParentEnds(parent)  // Reason: cancelled.
          if end != nil { application.shutdown() }
        }
      )
    }
    watchdog = manager.flatMap { manager in
      manager.watchdogInterval.map { interval in
        Task.detached {
          while !Task.isCancelled {
            if configuration.watchdog?() ?? true { manager.watchdog() }
            try? await Task.sleep(for: interval / 2)  // Reason: a cancellation also ends the loop.
          }
        }
      }
    }
    self.bridge = bridge
    self.manager = manager
    self.tasks = tasks
  }

  /// Stops listening, and returns when no answer is in progress.
  nonisolated(nonsending) func end() async {
    bridge.end()
    watchdog?.cancel()
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private static func bridge(
    to application: AppHost,
    _ manager: NotifySocket?
  ) -> SignalBridge {
    SignalBridge(
      application.configuration.signals,
      watch: application.dispositions,
      onMessage: { [messages = application.messages] in messages.send($0) },
      interrupt: { application.interrupt($0) },
      hangup: { Task.detached { application.requestShutdown() } },
      isEnding: { application.runner.isStopRequested }
    ) { meaning in
      switch meaning {
      case .background: await application.enteredBackground()
      case .foreground: application.enteredForeground()
      case .reload:
        manager?.reloading()
        await application.reload()
        if !application.runner.isStopRequested { manager?.reloaded() }
      case .shutdown, .ignore: break
      }
    }
  }
}

/// Waits until the parent process has ended.
///
/// When the parent ends, another process adopts this one, and `getppid` returns that process from then on
/// (POSIX.1-2024, `_exit()`, "Consequences of Process Termination"). Polling costs one system call. Linux has
/// `prctl` with `PR_SET_PDEATHSIG`, but the C module lacks it, and it concerns the thread that started this
/// process instead of the process.
///
/// - Parameters:
///   - first: The parent at the beginning. Read it early: a parent that has ended before is not noticed.
///   - interval: The polling interval.
///   - clock: The clock that measures it.
///   - parent: Returns the current parent; `nil` means the parent of this process.
/// - Throws: The error of the clock: `CancellationError` when the task is cancelled.
nonisolated(nonsending) package func untilParentEnds(
  _ first: Int32,
  every interval: Duration = .seconds(1),
  clock: any Clock<Duration> = ContinuousClock(),
  parent: (@Sendable () -> Int32)? = nil
) async throws {
  while (parent?() ?? ServiceProcess.parent) == first { try await clock.sleep(for: interval) }
}
