/// Which timers share a queue: all of a standard clock, and all of a clock that is an object.
///
/// A clock that is another value has no identity; each of its timers has a queue of its own.
internal enum TimerQueues: Sendable {
  private struct State {
    /// The queues of clocks that are objects, for as long as they have timers and so keep their clocks.
    var queues: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  }

  private static let continuous = TimerQueue(ContinuousClock())
  private static let suspending = TimerQueue(SuspendingClock())
  private static let state = Locked(State())

  /// The queue for a new timer of a clock.
  ///
  /// While another thread ends the last timer of the clock, a new timer may get another queue than later
  /// ones; it differs in nothing but who sleeps for it.
  internal static func queue<C: Clock>(of clock: C) -> TimerQueue<C> {
    if let queue = continuous as? TimerQueue<C> { return queue }
    if let queue = suspending as? TimerQueue<C> { return queue }
    guard C.self is AnyObject.Type else { return TimerQueue(clock) }
    let identity = ObjectIdentifier(clock as AnyObject)
    let made = TimerQueue(clock) { queue in remove(queue, of: identity) }
    let known: any AnyObject & Sendable = state.withLock { state in
      if let known = state.queues[identity] { return known }
      state.queues[identity] = made
      return made
    }
    return known as? TimerQueue<C> ?? made
  }

  /// How many clocks that are objects have timers.
  internal static var count: Int { state.withLock { $0.queues.count } }

  private static func remove<C: Clock>(_ queue: TimerQueue<C>, of identity: ObjectIdentifier) {
    let removed = state.withLock { state -> (any AnyObject & Sendable)? in
      guard state.queues[identity] === queue else { return nil }
      return state.queues.removeValue(forKey: identity)
    }
    withExtendedLifetime(removed) {}
  }
}
