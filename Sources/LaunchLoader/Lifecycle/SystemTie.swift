/// What ties a running application to the operating system: its signals, its parent, and the manager of
/// services that may have started it.
///
/// It listens from its making to ``end()``; afterwards the process does on a signal what it did before.
internal final class SystemTie: Sendable {
  private let bridge: SignalBridge?
  private let manager: NotifySocket?
  private let tasks: [Task<Void, Never>]

  /// Ties an application, as its configuration says.
  ///
  /// - Parameters:
  ///   - application: What is told.
  ///   - environment: The variables that name the manager's socket.
  internal init(_ application: Application, environment: [String: String]) {
    let manager = NotifySocket(environment: environment)
    let bridge =
      application.configuration.handlesSignals
      ? Self.bridge(to: application, manager) : nil
    var tasks: [Task<Void, Never>] = []
    if let bridge { tasks.append(Task.detached { await bridge.run() }) }
    if application.configuration.endsWithParent {
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
  internal func started() { manager?.ready() }

  /// The end begins.
  internal func stopping() { manager?.stopping() }

  /// Listens no more; returns when nobody is being told anything.
  internal func end() async {
    bridge?.end()
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private static func bridge(to application: Application, _ manager: NotifySocket?) -> SignalBridge
  {
    SignalBridge(
      interrupt: { application.interrupt($0) },
      background: { await application.enteredBackground() },
      foreground: { application.enterForeground() },
      reload: {
        manager?.reloading()
        application.reload()
        manager?.ready()
      },
      resize: { application.terminalDidResize() }
    )
  }

  private static func feed(_ manager: NotifySocket, every interval: Duration) async {
    while !Task.isCancelled {
      manager.watchdog()
      try? await Task.sleep(for: interval)  // Reason: a cancellation ends the loop, too.
    }
  }
}
