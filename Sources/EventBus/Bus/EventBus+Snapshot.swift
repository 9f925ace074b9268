extension EventBus {
  /// Who listens to what at this moment.
  ///
  /// - Returns: Every registration of the bus. Its description is a table.
  /// - Complexity: O(*n*) in the number of registrations. Owners of handlers that belong to no actor are
  ///   loaded, and so held for a moment; those of the others are taken to live until their death was
  ///   noticed.
  public func snapshot() -> EventBusSnapshot {
    let lists = table.objects.compactMap { $0 as? any ObservedEvent } + [wildcards]
    let observations = lists.sorted { $0.name < $1.name }.flatMap { $0.observations() }
    return EventBusSnapshot(
      label: label,
      observations: observations,
      waitingCount: hub.waitingCount,
      lostCount: hub.lostCount
    )
  }
}

/// A list of observers with a name, whatever the payload.
internal protocol ObservedEvent: AnyObject {
  var name: String { get }
  func observations() -> [EventBusSnapshot.Observation]
}

extension SignalCore: ObservedEvent {
  internal func observations() -> [EventBusSnapshot.Observation] {
    var observations: [(order: UInt, seen: EventBusSnapshot.Observation)] = []
    forEach { observer, priority in
      observations.append(
        (
          observer.order,
          EventBusSnapshot.Observation(
            name: name,
            site: SourceSite(observer),
            priority: Priority(priority),
            ownerType: observer.ownerType,
            // Elsewhere than on its actor, an owner is not looked at.
            isAlive: observer.home != nil || !observer.hasLostOwner,
            isPaused: observer.isPaused,
            deliveredCount: observer.deliveredCount { postCount },
            droppedCount: Int(observer.droppedCount)
          )
        )
      )
    }
    observations.sort { left, right in
      let (first, second) = (left.seen.priority, right.seen.priority)
      return first != second ? first > second : left.order < right.order
    }
    return observations.map(\.seen)
  }
}
