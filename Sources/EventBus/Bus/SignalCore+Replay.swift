extension SignalCore {
  /// Whether payloads are kept for observers that come later.
  internal var isReplaying: Bool { (interned?.replay ?? 0) > 0 }

  /// A gate for a new observer, where there may be something to replay.
  internal func newGate() -> ReplayGate? { isReplaying ? ReplayGate() : nil }

  /// Gives a new observer what was posted before it came, and then what arrived meanwhile.
  ///
  /// The observer is linked already, with its gate closed: a post either is among what was recorded when
  /// this looks, or waits at the gate.
  internal func replay(
    to observer: ConditionalObserver<Payload>,
    through gate: ReplayGate,
    from sender: AnyObject?
  ) {
    let (entries, newest) = replays.object(orMake: ReplayBuffer.init).contents()
    let meant = entries.lazy.filter { entry in sender.map(entry.isFrom) ?? true }
    handOver(
      meant.map { ($0.payload, $0.delivery) },
      upTo: newest,
      to: observer,
      through: gate
    )
  }
}

extension EventBus {
  /// The last payload of an event that is replayed.
  ///
  /// - Parameter name: The event.
  /// - Returns: The payload the bus recorded last, or `nil` when there was none, it was forgotten, or the
  ///   name asks for no replay.
  /// - Complexity: O(1), one lock.
  public func latest<Payload>(_ name: EventName<Payload>) -> Payload? {
    core(of: name).replays.object?.latest
  }

  /// Forgets the payloads kept of an event; observers that come later are given none of them.
  ///
  /// - Parameter name: The event.
  /// - Complexity: O(*k*) in the number of payloads kept.
  public func clearReplay<Payload>(_ name: EventName<Payload>) {
    core(of: name).replays.object?.clear()
  }
}
