extension ObserverList {
  /// Gives a new observer what was there before it came, and then what arrived meanwhile.
  ///
  /// The observer is linked already, with its gate closed: whatever is delivered now waits at the gate.
  ///
  /// - Parameters:
  ///   - kept: What was there, in order, and where it came from.
  ///   - baseline: The number of the newest delivery that need not be made any more.
  ///   - observer: The observer.
  ///   - gate: Its gate, open when this returns.
  package final func handOver<Payload: Sendable>(
    _ kept: some Sequence<(Payload, Delivery)>,
    upTo baseline: UInt,
    to observer: ConditionalObserver<Payload>,
    through gate: ReplayGate
  ) {
    gate.setBaseline(baseline)
    for (payload, delivery) in kept { give(payload, delivery, to: observer) }
    while let waiting = gate.takeWaitingOrOpen() {
      for case let event as ReplayGate.WaitingEvent<Payload> in waiting {
        give(event.payload, event.delivery, to: observer)
      }
    }
  }

  private func give<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: Delivery,
    to observer: ConditionalObserver<Payload>
  ) {
    guard observer.isReceptive else { return }
    do {
      _ = try observer.pass(payload, delivery)
    } catch {
      handlerFailed(error, in: observer, payload: payload, delivery: delivery)
    }
  }
}
