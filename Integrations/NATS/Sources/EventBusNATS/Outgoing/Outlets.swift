internal import EventBus
private import _EventBusLocks

/// The outlets of the process.
enum Outlets {
  private struct Key: Hashable {
    let bus: ObjectIdentifier
    let name: AnyEventName
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
  static func outlet(_ bus: EventBus, _ name: AnyEventName) -> AnyOutlet? {
    let key = Key(bus: ObjectIdentifier(bus), name: name)
    return state.withLock { $0.outlets[key]?.outlet }
  }
}
