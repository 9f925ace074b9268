/// Who listens to what on a bus, at one moment.
///
/// "Who posts this, who listens?" is the oldest complaint about event buses. The description is a table.
///
/// The snapshot is taken without stopping anybody: what is registered or delivered meanwhile may be in it
/// or not.
public struct EventBusSnapshot: Sendable, CustomStringConvertible {
  /// One registration.
  public struct Observation: Sendable {
    /// The event's name; `*` for every event.
    public let name: String
    /// Where it was registered.
    public let site: SourceSite
    /// Who is told first.
    public let priority: Priority
    /// The type of its owner, if it has one.
    public let ownerType: String?
    /// Whether its owner is alive; `true` without an owner.
    ///
    /// For a handler on an actor that is as last noticed: its owner is looked at on that actor only.
    public let isAlive: Bool
    /// Whether it is paused.
    public let isPaused: Bool
    /// The number of calls of its handler, or of events added to its stream; exact while no post is
    /// running.
    ///
    /// An event that waits in a queue is counted once its call has begun. Events during a pause and those
    /// whose poster excluded the registration are not counted.
    public let deliveredCount: Int
    /// How many events its buffer policy has discarded.
    public let droppedCount: Int
  }

  /// What the bus is called.
  public let label: String
  /// The registrations, by name, and for each name in the order of delivery.
  public let observations: [Observation]
  /// How many events wait for handlers on actors.
  public let waitingCount: Int
  /// How many events found their owner dead when their turn came.
  public let lostCount: Int

  /// The table: a line a registration.
  public var description: String {
    let header = ["event", "priority", "delivered", "dropped", "owner", "registered at"]
    let rows = observations.map { observation in
      [
        observation.name, "\(observation.priority.rawValue)", "\(observation.deliveredCount)",
        "\(observation.droppedCount)", Self.owner(of: observation), "\(observation.site)",
      ]
    }
    let widths = header.indices.map { column in
      ([header] + rows).reduce(0) { max($0, $1[column].count) }
    }
    return ([header] + rows).map { Self.line($0, widths) }.joined(separator: "\n")
  }

  private static func owner(of observation: Observation) -> String {
    let owner = observation.ownerType ?? "-"
    if !observation.isAlive { return owner + " (dead)" }
    return observation.isPaused ? owner + " (paused)" : owner
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: width - cell.count)
    }
    var line = padded.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}

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
protocol ObservedEvent: AnyObject {
  var name: String { get }
  func observations() -> [EventBusSnapshot.Observation]
}

extension SignalCore: ObservedEvent {
  func observations() -> [EventBusSnapshot.Observation] {
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
