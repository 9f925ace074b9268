internal import EventBus
private import Synchronization
private import _EventBusLocks

/// An event that arrived and is being posted, so that no bridge sends it back.
///
/// The post calls the bridges' own observer first. It finds this object in a task-local value and uses it up: an
/// answer of the same name that a handler posts later in the same call is an event of its own.
final class Arrival: Sendable {
  @TaskLocal static var current: Arrival?

  private let outlet: ObjectIdentifier
  /// The only lane that does not send the event; `nil` means that none does.
  let lane: ObjectIdentifier?
  /// What gets the outcome of the post.
  private let local: LocalPost?
  private let isUsed = Atomic<Bool>(false)

  init(_ outlet: AnyOutlet, lane: AnyOutgoingLane? = nil, local: LocalPost? = nil) {
    self.outlet = ObjectIdentifier(outlet)
    self.lane = lane.map(ObjectIdentifier.init)
    self.local = local
  }

  /// Connects the post that is being delivered with the one that was announced to the lane.
  func bind(_ event: String, _ bus: EventBus) {
    guard let local, let post = PostFollower.current(event, bus) else { return }
    local.bind(to: post)
  }

  /// Whether the bridges' observer was called, so that it counts as one of those reached.
  var wasSeen: Bool { isUsed.load(ordering: .acquiring) }

  /// Whether a call of an observer is that for this event; `true` once.
  func isSeen(by outlet: AnyOutlet) -> Bool {
    guard ObjectIdentifier(outlet) == self.outlet else { return false }
    return !isUsed.exchange(true, ordering: .acquiringAndReleasing)
  }
}

class AnyOutlet: @unchecked Sendable {}  // Reason: without state.

/// The one observer that all bridges of the process have for an event of a bus.
///
/// One for all of them, as an event that one bridge receives must not leave through another.
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
  fileprivate func add(_ lane: OutgoingLane<Payload>, _ bus: EventBus, _ name: EventName<Payload>) {
    let isFirst = state.withLock { state in
      state.lanes.append(lane)
      return state.lanes.count == 1
    }
    guard isFirst else { return }
    // What the bus keeps was posted before it was carried.
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
  fileprivate func remove(_ lane: OutgoingLane<Payload>) {
    let (removed, token) = state.withLock { state in
      let removed = state.lanes
      state.lanes.removeAll { $0 === lane }
      return (removed, state.lanes.isEmpty ? state.token.take() : nil)
    }
    token?.cancel()
    withExtendedLifetime(removed) {}
  }
}

/// Closed while an observer is registered, and receives what the bus kept.
private final class ReplayGate: Sendable {
  private let state = Atomic<Bool>(false)
  var isOpen: Bool { state.load(ordering: .acquiring) }
  func open() { state.store(true, ordering: .releasing) }
}

/// The outlets of the process.
enum Outlets {
  private struct Key: Hashable {
    let bus: ObjectIdentifier
    let name: EventNames
  }

  private struct Entry {
    weak let outlet: AnyOutlet?
  }

  private struct State {
    var outlets: [Key: Entry] = [:]
  }

  private static let state = Locked(State())

  /// Begins to pass the events of a bus to a lane.
  ///
  /// - Returns: The token, which keeps the outlet.
  static func add<Payload>(
    _ lane: OutgoingLane<Payload>,
    _ bus: EventBus,
    _ name: EventName<Payload>
  ) -> Token {
    let key = Key(bus: ObjectIdentifier(bus), name: name)
    let fresh = Outlet<Payload>()
    let outlet = state.withLock { state in
      if let known = state.outlets[key]?.outlet as? Outlet<Payload> { return known }
      state.outlets = state.outlets.filter { $0.value.outlet != nil }
      state.outlets[key] = Entry(outlet: fresh)
      return fresh
    }
    outlet.add(lane, bus, name)
    return Token { [weak lane] in
      if let lane { outlet.remove(lane) }
    }
  }

  /// The outlet of an event, if any bridge sends it.
  static func outlet(_ bus: EventBus, _ name: EventNames) -> AnyOutlet? {
    let key = Key(bus: ObjectIdentifier(bus), name: name)
    return state.withLock { $0.outlets[key]?.outlet }
  }
}
