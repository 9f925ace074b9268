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

  /// The program is asked to read its configuration anew.
  package func reload(isolation: isolated (any Actor)? = #isolation) {
    bus.post(.shouldReload, from: self)
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
  /// - Parameter number: The number of the signal.
  package func interrupt(_ number: Int32) {
    switch locked.withLock({ $0.escalation.next(number) }) {
    case .shutdown:
      let launch = locked.withLock { $0.launch }
      runner.send { $0.shutdown() }
      launch?.cancel()
    case .cancel(let exitCode):
      cancel(exitCode: exitCode)
    case .exit(let status):
      ProcessExit.now(status)
    }
  }
}
