/// Stands in front of an observer while it is given what was posted before it came.
///
/// Live events that arrive meanwhile wait, for the registering thread to deliver them after the replayed
/// ones. Afterwards the gate lets everything through but the posts that were replayed.
///
/// It does not have the type of the payload: to look that up for the gate and its parts would cost a
/// registration more than the rest of it, and events that wait are few.
package final class ReplayGate: Sendable {
  /// A live event that waits, and whoever waits for it.
  package class Waiting: @unchecked Sendable {  // Reason: constant, like its subclass.
    /// Where it came from, with its number.
    package let delivery: Delivery

    fileprivate init(_ delivery: borrowing Delivery) {
      self.delivery = delivery.withoutPlace
      delivery.completion?.begin()
    }

    deinit { delivery.completion?.finish() }
  }

  /// A live event that waits, with what it carries.
  package final class WaitingEvent<Payload: Sendable>: Waiting,
    @unchecked Sendable  // Reason: constant.
  {
    /// What it carries.
    package let payload: Payload

    fileprivate init(_ payload: Payload, _ delivery: borrowing Delivery) {
      self.payload = payload
      super.init(delivery)
    }
  }

  /// What becomes of a live event.
  package enum Admission: Sendable {
    /// It goes on to the observer.
    case admitted
    /// It waits for the replayed ones.
    case waits
    /// It was replayed.
    case known
  }

  private struct State {
    var isOpen = false
    /// Posts up to this number are replayed.
    var baseline: UInt = 0
    var waiting: [Waiting] = []
  }

  private let state = Locked(State())

  /// Creates a closed gate.
  package init() {}

  /// Asks what is to become of a live event; one that must wait is kept.
  package func admit<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: borrowing Delivery
  ) -> Admission {
    state.withLock { state in
      let isKnown = delivery.number != 0 && delivery.number <= state.baseline
      if state.isOpen { return isKnown ? .known : .admitted }
      if isKnown { return .known }
      state.waiting.append(WaitingEvent(payload, delivery))
      return .waits
    }
  }

  /// Takes note of the newest post that is replayed.
  package func setBaseline(_ number: UInt) { state.withLock { $0.baseline = number } }

  /// Takes out what waits and was not replayed; opens the gate when nothing does.
  ///
  /// - Returns: The events in the order they arrived, or `nil` once the gate is open.
  package func takeWaitingOrOpen() -> [Waiting]? {
    let (taken, baseline) = state.withLock { state in
      let taken = state.waiting
      state.waiting = []
      if taken.isEmpty { state.isOpen = true }
      return (taken, state.baseline)
    }
    return taken.isEmpty
      ? nil : taken.filter { $0.delivery.number == 0 || $0.delivery.number > baseline }
  }
}
