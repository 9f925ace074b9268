internal import EventBus

/// All signal listeners of the process.
///
/// Signal dispositions belong to the process, so there is one centre. A handler writes the number into
/// ``SignalPipe``. The thread that reads the pipe passes the signal to the centre and resumes the waiting
/// tasks directly, without an intermediate hop.
///
/// ## Thread safety
///
/// Every member may be called from any thread, but not from a signal handler. Dispositions change under the
/// lock together with the listeners that determine them; these system calls return immediately and run no
/// user code. Waiters are resumed, and signals sent again, outside the lock.
final class SignalCenter: Sendable {
  /// The continuation of a waiting listener.
  ///
  /// It receives the signal number, or `nil` at the end.
  typealias Waiter = CheckedContinuation<Int32?, Never>

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

  private struct State: Sendable {
    var direct: [SignalDesk<Waiter>.Key: DirectListener] = [:]
    var desk = SignalDesk<Waiter>()
    /// The dispositions before the first listener.
    var previous: [Int32: SignalDisposition] = [:]
    /// The dispositions restored after the last listener.
    var restored: [Int32: SignalDisposition] = [:]
    var isOpen = false
  }

  /// The centre of the process.
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
  func open(
    _ numbers: Set<Int32>,
    _ direct: DirectListener? = nil
  ) -> SignalDesk<Waiter>.Key? {
    let (key, code): (SignalDesk<Waiter>.Key?, Int32) = state.withLock { state in
      if !state.isOpen {
        let code = SignalPipe.open { [self] in receive($0) }
        guard code == 0 else { return (nil, code) }
        state.isOpen = true
      }
      let (key, installed) = state.desk.open(numbers, isDirect: direct != nil)
      state.direct[key] = direct
      for number in installed {
        let current = SignalDisposition.current(of: number)
        state.previous[number] = Self.isOurs(current) ? state.restored[number] : current
        SignalPipe.disposition.install(for: number)
        SignalPipe.setHeard(number, true)
      }
      return (key, 0)
    }
    if key == nil {
      Self.say(
        "cannot listen to signals: system error \(code)",
        to: [direct].compactMap(\.self)
      )
    }
    return key
  }

  /// Waits for the next signal of a listener.
  ///
  /// - Returns: The number of the signal, or `nil` at the end.
  func next(_ key: SignalDesk<Waiter>.Key) async -> Int32? {
    await withCheckedContinuation { waiter in
      switch state.withLock({ $0.desk.take(key, waiter: waiter) }) {
      case .signal(let number): waiter.resume(returning: number)
      case .nothing: break
      case .ended: waiter.resume(returning: nil)
      }
    }
  }

  /// Removes a listener.
  ///
  /// Repeated calls have no effect.
  func close(_ key: SignalDesk<Waiter>.Key) {
    let (closing, direct) = state.withLock { state in
      let closing = state.desk.close(key)
      for number in closing.restored { Self.restore(number, in: &state) }
      return (closing, state.direct.removeValue(forKey: key))
    }
    withExtendedLifetime(direct) {}
    for waiter in closing.waiters { waiter.resume(returning: nil) }
    for number in closing.resent { SignalPipe.resend(number) }
  }

  /// Delivers a signal to its listeners as if it had arrived.
  func inject(_ number: Int32) {
    if state.withLock({ $0.desk.isHeard(number) }) { SignalPipe.inject(number) }
  }

  /// Returns whether the process ignores a signal, or did before the first listener.
  func isIgnored(_ number: Int32) -> Bool {
    state.withLock { state in
      let disposition = state.previous[number] ?? SignalDisposition.current(of: number)
      return disposition?.isIgnoring ?? false
    }
  }

  /// Stops the process as `SIGTSTP` does by default, regardless of its listeners.
  ///
  /// Returns when the process is continued, or immediately if the system does not stop it.
  func stopProcess() {
    state.withLock { _ in JobControl.stopProcess() }
  }

  private func receive(_ news: SignalPipe.News) {
    switch news {
    case .signal(let number, let isInjected): arrive(number, isInjected: isInjected)
    case .broken(let code, let isMended, let isFirst): pipeBroke(code, isMended, isFirst)
    }
  }

  /// Reports that the pipe was closed.
  ///
  /// Without a replacement, restores the previous dispositions.
  private func pipeBroke(_ code: Int32, _ isMended: Bool, _ isFirst: Bool) {
    let (closing, direct) = state.withLock { state in
      let direct = state.direct
      if isMended { return (SignalDesk<Waiter>.Closing(), direct) }
      let closing = state.desk.closeAll()
      for number in closing.restored { Self.restore(number, in: &state) }
      state.direct = [:]
      state.isOpen = false
      return (closing, direct)
    }
    for waiter in closing.waiters { waiter.resume(returning: nil) }
    if !isFirst && isMended { return }
    let reason = code == 0 ? "it was closed" : "system error \(code)"
    let result = isMended ? "a new pipe replaces it" : "signals are no longer received"
    Self.say("cannot read the signal pipe: \(reason); \(result)", to: Array(direct.values))
  }

  /// Reports a message to the direct listeners, or to standard error if there are none.
  private static func say(_ message: String, to listeners: [DirectListener]) {
    if listeners.isEmpty { printError("LaunchLoader: \(message)") }
    for listener in listeners { listener.onMessage(message) }
  }

  private func arrive(_ number: Int32, isInjected: Bool) {
    let (delivery, direct) = state.withLock { state in
      var delivery = state.desk.arrive(number, isInjected: isInjected)
      // A signal that was in transit when the last listener went ends here, because its disposition was
      // restored then. If our handler is installed again, other code saved and restored it, and the signal is
      // new.
      if delivery.isDropped && Self.isOurs(.current(of: number)) { delivery.isUnheard = true }
      // A signal that is sent again must not return here.
      if delivery.isUnheard { Self.restore(number, in: &state) }
      return (delivery, delivery.direct.compactMap { state.direct[$0] })
    }
    for listener in direct { listener.receive(number) }
    for waiter in delivery.waiters { waiter.resume(returning: number) }
    if delivery.isUnheard { SignalPipe.resend(number) }
  }

  /// Restores the disposition before the first listener, unless other code has changed it since.
  private static func restore(_ number: Int32, in state: inout State) {
    let previous =
      state.previous.removeValue(forKey: number) ?? state.restored[number] ?? .byDefault
    state.restored[number] = previous
    if isOurs(.current(of: number)) { previous.install(for: number) }
    SignalPipe.setHeard(number, false)
  }

  /// Returns whether a disposition is the handler of the pipe.
  ///
  /// Other code may save it while there are listeners and restore it later, as `system(3)` does.
  private static func isOurs(_ disposition: SignalDisposition?) -> Bool {
    disposition?.hasHandler(of: SignalPipe.disposition) ?? false
  }
}

/// A listener for signals, active from its creation to its end.
///
/// ## Thread safety
///
/// Every member may be called from any thread. If several tasks wait, each signal reaches one of them.
final class SignalListener: Sendable {
  private let key: SignalDesk<SignalCenter.Waiter>.Key?

  /// Starts listening to signals.
  ///
  /// - Parameter signals: The signals. Traps if one of them does not accept listeners.
  init(_ signals: some Sequence<UnixSignal>) {
    SignalRefusal.check(signals)
    key = SignalCenter.shared.open(Set(signals.map(\.rawValue)))
  }

  deinit { end() }

  /// Waits for the next signal.
  ///
  /// - Returns: The signal, or `nil` after ``end()``.
  func next() async -> UnixSignal? {
    guard let key else { return nil }
    return await SignalCenter.shared.next(key).map(UnixSignal.init(rawValue:))
  }

  /// Stops listening.
  ///
  /// Repeated calls have no effect.
  func end() {
    if let key { SignalCenter.shared.close(key) }
  }
}
