internal import EventBus

/// Everybody in the process who listens to signals.
///
/// The dispositions of signals belong to the process, so there is one centre. A handler writes the
/// number into ``SignalPipe``; the thread that reads it hands the signal over here, and resumes those
/// who wait by itself, so that nothing stands between it and the awaiting task.
///
/// ## Thread safety
///
/// Every member may be called from any thread, and none from the handler of a signal. Dispositions are
/// changed under the lock, together with the count that they follow from: the calls return at once and
/// call nobody. Waiters are resumed, and signals sent again, outside it.
final class SignalCenter: Sendable {
  /// What a listener waits with: the number, or `nil` at the end.
  typealias Waiter = CheckedContinuation<Int32?, Never>

  /// One that signals are handed to on the thread that reads them.
  struct DirectListener: Sendable {
    /// Called with what the operating system refuses, on any thread; it must not run code of users.
    let onMessage: @Sendable (String) -> Void
    /// Called with the number of the signal; it must not run code of users.
    let receive: @Sendable (Int32) -> Void
  }

  private struct State: Sendable {
    var direct: [SignalDesk<Waiter>.Key: DirectListener] = [:]
    var desk = SignalDesk<Waiter>()
    /// What the process did before anybody listened.
    var previous: [Int32: SignalDisposition] = [:]
    /// What was restored last, when the last listener had gone.
    var restored: [Int32: SignalDisposition] = [:]
    var isOpen = false
  }

  /// The centre of the process.
  static let shared = SignalCenter()

  private let state = Locked(State())

  private init() {}

  /// Adds a listener.
  ///
  /// From when this returns no signal is lost.
  ///
  /// - Parameters:
  ///   - numbers: Signals that can be listened to.
  ///   - direct: What signals are handed to, unless they are waited for.
  /// - Returns: What stands for it, or `nil` when the system has no pipe or no thread to give.
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
        "cannot listen to signals: error \(code) of the system",
        to: [direct].compactMap(\.self)
      )
    }
    return key
  }

  /// Waits for the next signal of a listener.
  ///
  /// - Returns: Its number, or `nil` at the end.
  func next(_ key: SignalDesk<Waiter>.Key) async -> Int32? {
    await withCheckedContinuation { waiter in
      switch state.withLock({ $0.desk.take(key, waiter: waiter) }) {
      case .signal(let number): waiter.resume(returning: number)
      case .nothing: break
      case .ended: waiter.resume(returning: nil)
      }
    }
  }

  /// Removes a listener; doing so again does nothing.
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

  /// Lets those who listen hear a signal that did not come.
  func inject(_ number: Int32) {
    if state.withLock({ $0.desk.isHeard(number) }) { SignalPipe.inject(number) }
  }

  /// Whether the process ignores a signal, or did so before anybody listened.
  func isIgnored(_ number: Int32) -> Bool {
    state.withLock { state in
      let disposition = state.previous[number] ?? SignalDisposition.current(of: number)
      return disposition?.isIgnoring ?? false
    }
  }

  /// Does with `SIGTSTP` what the system does by itself, whoever listens to it: stops the process.
  ///
  /// Returns when the process was continued, or at once if the system does not stop it.
  func stopProcess() {
    state.withLock { _ in JobControl.stopProcess() }
  }

  private func receive(_ news: SignalPipe.News) {
    switch news {
    case .signal(let number, let isInjected): arrive(number, isInjected: isInjected)
    case .broken(let code, let isMended, let isFirst): pipeBroke(code, isMended, isFirst)
    }
  }

  /// Says that the pipe was closed; if there is no other one, signals have the effect again that they had
  /// before.
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
    let reason = code == 0 ? "it was closed" : "error \(code) of the system"
    let result = isMended ? "they are heard through another one" : "they are heard no longer"
    Self.say("cannot read the pipe of signals: \(reason); \(result)", to: Array(direct.values))
  }

  /// Says something to those who want to know; to standard error if there are none.
  private static func say(_ message: String, to listeners: [DirectListener]) {
    if listeners.isEmpty { StandardError.print("LaunchLoader: \(message)") }
    for listener in listeners { listener.onMessage(message) }
  }

  private func arrive(_ number: Int32, isInjected: Bool) {
    let (delivery, direct) = state.withLock { state in
      var delivery = state.desk.arrive(number, isInjected: isInjected)
      // One that was under way when the last listener went ends here, because its effect was restored then.
      // If the handler is there again, other code has kept it and put it back, and the signal is new.
      if delivery.isDropped && Self.isOurs(.current(of: number)) { delivery.isUnheard = true }
      // Sent again it must not come back here.
      if delivery.isUnheard { Self.restore(number, in: &state) }
      return (delivery, delivery.direct.compactMap { state.direct[$0] })
    }
    for listener in direct { listener.receive(number) }
    for waiter in delivery.waiters { waiter.resume(returning: number) }
    if delivery.isUnheard { SignalPipe.resend(number) }
  }

  /// Restores what was there before anybody listened, unless somebody else has changed it since.
  private static func restore(_ number: Int32, in state: inout State) {
    let previous =
      state.previous.removeValue(forKey: number) ?? state.restored[number] ?? .byDefault
    state.restored[number] = previous
    if isOurs(.current(of: number)) { previous.install(for: number) }
    SignalPipe.setHeard(number, false)
  }

  /// Whether a disposition is the handler of the pipe.
  ///
  /// Other code may keep it while there are listeners, and put it back later, as `system(3)` does.
  private static func isOurs(_ disposition: SignalDisposition?) -> Bool {
    disposition?.hasHandler(of: SignalPipe.disposition) ?? false
  }
}

/// One who listens to signals, from its making to its end.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Of several tasks that wait each signal reaches one.
final class SignalListener: Sendable {
  private let key: SignalDesk<SignalCenter.Waiter>.Key?

  /// Listens to some signals.
  ///
  /// - Parameter signals: Traps if there is one among them that cannot be listened to.
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

  /// Stops listening; doing so again does nothing.
  func end() {
    if let key { SignalCenter.shared.close(key) }
  }
}
