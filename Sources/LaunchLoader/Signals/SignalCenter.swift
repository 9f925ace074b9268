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
internal final class SignalCenter: Sendable {
  /// What a listener waits with: the number, or `nil` at the end.
  internal typealias Waiter = CheckedContinuation<Int32?, Never>

  private struct State: Sendable {
    var desk = SignalDesk<Waiter>()
    /// What the process did before anybody listened.
    var previous: [Int32: SignalDisposition] = [:]
    var isOpen = false
  }

  /// The centre of the process.
  internal static let shared = SignalCenter()

  private let state = Locked(State())

  private init() {}

  /// Adds a listener.
  ///
  /// From when this returns no signal is lost.
  ///
  /// - Parameter numbers: Signals that can be listened to.
  /// - Returns: What stands for it, or `nil` when the system has no pipe or no thread to give.
  internal func open(_ numbers: Set<Int32>) -> SignalDesk<Waiter>.Key? {
    let (key, code): (SignalDesk<Waiter>.Key?, Int32) = state.withLock { state in
      if !state.isOpen {
        let code = SignalPipe.open { [self] in arrive($0, isInjected: $1) }
        guard code == 0 else { return (nil, code) }
        state.isOpen = true
      }
      let (key, installed) = state.desk.open(numbers)
      for number in installed {
        let current = SignalDisposition.current(of: number)
        // Somebody may have kept our handler while we listened, and put it back later.
        let isOurs = current?.hasHandler(of: SignalPipe.disposition) ?? false
        state.previous[number] = isOurs ? .byDefault : current
        SignalPipe.disposition.install(for: number)
        SignalPipe.setHeard(number, true)
      }
      return (key, 0)
    }
    if key == nil {
      StandardError.print("LaunchLoader: cannot listen to signals: error \(code) of the system.")
    }
    return key
  }

  /// Waits for the next signal of a listener.
  ///
  /// - Returns: Its number, or `nil` at the end.
  internal func next(_ key: SignalDesk<Waiter>.Key) async -> Int32? {
    await withCheckedContinuation { waiter in
      switch state.withLock({ $0.desk.take(key, waiter: waiter) }) {
      case .signal(let number): waiter.resume(returning: number)
      case .nothing: break
      case .ended: waiter.resume(returning: nil)
      }
    }
  }

  /// Removes a listener; doing so again does nothing.
  internal func close(_ key: SignalDesk<Waiter>.Key) {
    let closing = state.withLock { state in
      let closing = state.desk.close(key)
      for number in closing.restored { Self.restore(number, in: &state) }
      return closing
    }
    for waiter in closing.waiters { waiter.resume(returning: nil) }
    for number in closing.resent { SignalPipe.resend(number) }
  }

  /// Lets those who listen hear a signal that did not come.
  internal func inject(_ number: Int32) {
    if state.withLock({ $0.desk.isHeard(number) }) { SignalPipe.inject(number) }
  }

  /// Whether the process ignores a signal, or did so before anybody listened.
  internal func isIgnored(_ number: Int32) -> Bool {
    state.withLock { state in
      let disposition = state.previous[number] ?? SignalDisposition.current(of: number)
      return disposition?.isIgnoring ?? false
    }
  }

  /// Does with `SIGTSTP` what the system does by itself, whoever listens to it: stops the process.
  ///
  /// Returns when the process was continued, or at once if the system does not stop it.
  internal func stopProcess() {
    state.withLock { _ in JobControl.stopProcess() }
  }

  private func arrive(_ number: Int32, isInjected: Bool) {
    let delivery = state.withLock { state in
      let delivery = state.desk.arrive(number, isInjected: isInjected)
      // Sent again it must not come back here.
      if delivery.isUnheard { Self.restore(number, in: &state) }
      return delivery
    }
    for waiter in delivery.waiters { waiter.resume(returning: number) }
    if delivery.isUnheard { SignalPipe.resend(number) }
  }

  /// Restores what was there before anybody listened, unless somebody else has changed it since.
  private static func restore(_ number: Int32, in state: inout State) {
    let previous = state.previous.removeValue(forKey: number) ?? .byDefault
    let current = SignalDisposition.current(of: number)
    if current?.hasHandler(of: SignalPipe.disposition) ?? false { previous.install(for: number) }
    SignalPipe.setHeard(number, false)
  }
}
