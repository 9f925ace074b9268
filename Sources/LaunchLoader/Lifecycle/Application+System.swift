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
