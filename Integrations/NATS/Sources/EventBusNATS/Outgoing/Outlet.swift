internal import EventBus
private import Synchronization
private import _EventBusLocks

class AnyOutlet: @unchecked Sendable {}  // Reason: without state.

/// The observer of an event of a bus that all bridges of the process share.
///
/// They share it because an event that one bridge receives must not leave through another.
final class Outlet<Payload: Sendable>: AnyOutlet, @unchecked Sendable {  // Reason: locked.
  private struct State {
    var lanes: [OutgoingLane<Payload>] = []
    var token: Token?
  }

  private let state = Locked(State())

  /// The lanes that send the event.
  var lanes: [OutgoingLane<Payload>] { state.withLock { $0.lanes } }

  private func post(_ payload: Payload, _ event: String, _ bus: EventBus) {
    if let arrival = Arrival.current, arrival.isSeen(by: self) {
      arrival.bind(event, bus)
      guard let sent = arrival.lane else { return }
      for lane in lanes where ObjectIdentifier(lane) != sent { lane.enqueue(payload) }
    } else {
      for lane in lanes { lane.enqueue(payload) }
    }
  }

  /// Adds a lane, and observes the event for the first one.
  func add(_ lane: OutgoingLane<Payload>, _ bus: EventBus, _ name: EventName<Payload>) {
    let isFirst = state.withLock { state in
      state.lanes.append(lane)
      return state.lanes.count == 1
    }
    guard isFirst else { return }
    // The events that the bus keeps for replay were posted before the carrying began.
    let gate = ReplayGate()
    let event = name.name
    let token = bus.observe(name, priority: Priority(.max)) { [weak self, weak bus] payload in
      if gate.isOpen, let bus { self?.post(payload, event, bus) }
    }
    gate.open()
    let former = state.withLock { state in
      defer { state.token = token }
      return state.token
    }
    former?.cancel()
  }

  /// Removes a lane, and ends the observation with the last one.
  func remove(_ lane: OutgoingLane<Payload>) {
    let (removed, token) = state.withLock { state in
      let removed = state.lanes
      state.lanes.removeAll { $0 === lane }
      return (removed, state.lanes.isEmpty ? state.token.take() : nil)
    }
    token?.cancel()
    withExtendedLifetime(removed) {}
  }
}

/// A gate that is closed during the registration of an observer, which receives the events kept by the bus.
private final class ReplayGate: Sendable {
  private let state = Atomic<Bool>(false)
  var isOpen: Bool { state.load(ordering: .acquiring) }
  func open() { state.store(true, ordering: .releasing) }
}
