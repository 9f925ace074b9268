internal import EventBus

/// All signal listeners of the process.
///
/// Signal dispositions belong to the process, so there is one center. A handler writes the number into
/// ``SignalPipe``. The thread that reads the pipe passes the signal to the center and resumes the waiting
/// tasks directly, without an intermediate hop.
///
/// ## Thread safety
///
/// Every member may be called from any thread, but not from a signal handler. Dispositions change under the
/// lock together with the listeners that determine them; these system calls return immediately and run no
/// user code. Waiters are resumed, and signals sent again, outside the lock.
final class SignalCenter: Sendable {
  /// The state machine; a waiter receives the signal number, or `nil` at the end.
  typealias Router = SignalRouter<CheckedContinuation<Int32?, Never>, DirectListener>

  /// A listener that receives signals on the thread that reads them.
  struct DirectListener: Sendable {
    /// Called with errors of the operating system, on any thread.
    ///
    /// It must not run user code.
    let onMessage: @Sendable (String) -> Void
    /// Called with the number of the signal.
    ///
    /// It must not run user code.
    let receive: @Sendable (Int32) -> Void
  }

  private struct State: ~Copyable, Sendable {
    var router = Router()
    /// The dispositions before the first listener.
    var previous: [Int32: SignalDisposition] = [:]
    /// The dispositions restored after the last listener.
    var restored: [Int32: SignalDisposition] = [:]
    var isOpen = false

    /// Restores the dispositions before the first listener, unless other code has changed them since.
    mutating func restore(_ numbers: [Int32]) {
      for number in numbers {
        let disposition = previous.removeValue(forKey: number) ?? restored[number] ?? .byDefault
        restored[number] = disposition
        if SignalPipe.isOurs(.current(of: number)) { disposition.install(for: number) }
        SignalPipe.setHeard(number, false)
      }
    }
  }

  /// The center of the process.
  static let shared = SignalCenter()

  private let state = Locked(State())

  private init() {}

  /// Adds a listener.
  ///
  /// No signal is lost after this call returns.
  ///
  /// - Parameters:
  ///   - numbers: The signals, all of which accept listeners.
  ///   - direct: The listener that receives the signals; `nil` if they are taken with ``next(_:)``.
  /// - Returns: The key of the listener, or `nil` if the system cannot create a pipe or a thread.
  func open(_ numbers: Set<Int32>, _ direct: DirectListener?) -> Router.Key? {
    let (key, code): (Router.Key?, Int32) = state.withLock { state in
      if !state.isOpen {
        let code = SignalPipe.open(onSignal: arrive, onFailure: pipeBroke)
        guard code == 0 else { return (nil, code) }
        state.isOpen = true
      }
      let (key, installed) = state.router.open(numbers, direct)
      for number in installed {
        let current = SignalDisposition.current(of: number)
        state.previous[number] = SignalPipe.isOurs(current) ? state.restored[number] : current
        SignalPipe.disposition.install(for: number)
        SignalPipe.setHeard(number, true)
      }
      return (key, 0)
    }
    if key == nil {
      Self.say("Cannot listen to signals: system error \(code).", to: direct.map { [$0] } ?? [])
    }
    return key
  }

  /// Waits for the next signal of a listener.
  ///
  /// - Returns: The number of the signal, or `nil` at the end.
  nonisolated(nonsending) func next(_ key: Router.Key) async -> Int32? {
    await withCheckedContinuation { waiter in
      resume(state.withLock { $0.router.take(key, waiter: waiter) })
    }
  }

  /// Removes a listener.
  ///
  /// Repeated calls have no effect.
  func close(_ key: Router.Key) { resume(update { $0.close(key) }) }

  /// Delivers a signal to its listeners as if it had arrived.
  func inject(_ number: Int32) {
    if state.withLock({ $0.router.isHeard(number) }) { SignalPipe.inject(number) }
  }

  /// Returns whether the process ignores a signal, or did before the first listener.
  func isIgnored(_ number: Int32) -> Bool {
    state.withLock { state in
      let disposition = state.previous[number] ?? SignalDisposition.current(of: number)
      return disposition?.isIgnoring ?? false
    }
  }

  /// Returns the disposition of a signal that has listeners, if other code has installed it.
  func foreignDisposition(of number: Int32) -> SignalDisposition? {
    state.withLock { state in
      guard state.router.isHeard(number) else { return nil }
      let disposition = SignalDisposition.current(of: number)
      return SignalPipe.isOurs(disposition) ? nil : disposition
    }
  }

  /// Stops the process as `SIGTSTP` does by default, regardless of its listeners.
  ///
  /// Returns when the process is continued, or immediately if the system does not stop it.
  func stopProcess() { state.withLock { _ in ServiceProcess.stop() } }

  /// Passes a signal that has arrived to its listeners: at once to a direct one, and otherwise to the task that
  /// waits for it, or that will; a signal without listeners is sent again.
  private func arrive(_ number: Int32, isInjected: Bool) {
    let actions = update {
      $0.arrive(
        number,
        isInjected: isInjected,
        isInstalled: SignalPipe.isOurs(.current(of: number))
      )
    }
    for listener in actions.receivers { listener.receive(number) }
    resume(actions)
  }

  /// Reports that the pipe was closed.
  ///
  /// Without a replacement, restores the previous dispositions.
  private func pipeBroke(_ code: Int32, isMended: Bool, isFirst: Bool) {
    var listeners: [DirectListener] = []
    if isMended {
      if !isFirst { return }
      listeners = state.withLock { $0.router.receivers }
    } else {
      let actions = state.withLock { state in
        state.isOpen = false
        let actions = state.router.closeAll()
        state.restore(actions.restored)
        return actions
      }
      resume(actions)
      listeners = actions.receivers
    }
    let reason = code == 0 ? "it was closed" : "system error \(code)"
    let result = isMended ? "A new pipe replaces it." : "Signals are no longer received."
    Self.say("Cannot read the signal pipe: \(reason). \(result)", to: listeners)
  }

  /// Changes the listeners, and restores the dispositions that no listener needs any longer.
  private func update(_ change: (inout Router) -> Router.Actions) -> Router.Actions {
    state.withLock { state in
      let actions = change(&state.router)
      state.restore(actions.restored)
      return actions
    }
  }

  private func resume(_ actions: Router.Actions) {
    for (waiter, number) in actions.resumed { waiter.resume(returning: number) }
    for number in actions.resent { SignalPipe.resend(number) }
  }

  /// Reports a message to direct listeners, or to standard error if there are none.
  private static func say(_ message: String, to listeners: [DirectListener]) {
    if listeners.isEmpty { printError("LaunchLoader: \(message)") }
    for listener in listeners { listener.onMessage(message) }
  }
}
