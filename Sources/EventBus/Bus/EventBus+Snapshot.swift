internal import Synchronization

extension EventBus {
  /// The registrations of a bus at one moment, with a table as its description.
  ///
  /// Taking a snapshot stops no other thread: it may or may not include registrations and deliveries that
  /// happen meanwhile.
  public struct Snapshot: Sendable, CustomStringConvertible {
    /// One registration.
    public struct Observation: Sendable {
      /// The string of the event's name, or `*` for an observer of every event.
      public let name: String
      /// The name of the owner's type, or `nil` without an owner.
      public let ownerType: String?
      /// A Boolean value that indicates whether the owner is alive; `true` without an owner.
      ///
      /// The owner of a handler on an actor is inspected on that actor only, so this value may be out of date.
      public let isAlive: Bool
      /// The source site of the registration.
      public let site: SourceSite
      /// The priority.
      public let priority: Priority
      /// A Boolean value that indicates whether the registration is paused.
      public let isPaused: Bool
      /// The number of events that wait for the handler, or in the buffer of the stream.
      ///
      /// An event whose call has begun no longer waits.
      public let waitingCount: Int
      /// The number of events that the buffering policy has discarded.
      public let droppedCount: Int
    }

    /// The name of the bus.
    public let label: String
    /// The registrations, sorted by name, and for each name in the order of delivery.
    public let observations: [Observation]
    /// The number of events that wait for handlers on actors.
    public let waitingCount: Int
    /// The number of events whose owner had died, or whose owner's lifetime had ended, by the time they were to
    /// be delivered on an actor.
    public let lostCount: Int

    /// A table with one line per registration; control characters in names are escaped.
    public var description: String {
      let header = ["event", "priority", "dropped", "owner", "registered at"]
      let rows = observations.map { observation in
        [
          observation.name.onOneLine, "\(observation.priority.rawValue)",
          "\(observation.droppedCount)",
          Self.owner(of: observation), "\(observation.site)",
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
}

extension EventBus {
  /// Returns the registrations of the bus at this moment.
  ///
  /// - Returns: A snapshot of every registration. Its description is a table.
  /// - Complexity: O(*n*) in the number of registrations. Owners of handlers that belong to no actor are
  ///   loaded, and therefore retained briefly. Other owners are reported as alive until their end was
  ///   noticed.
  public func snapshot() -> EventBus.Snapshot {
    let observations = lists.ordered { $0.name < $1.name }.flatMap { $0.observations() }
    return EventBus.Snapshot(
      label: label,
      observations: observations,
      waitingCount: busState.mailboxes.members.reduce(0) { $0 + $1.waitingCount },
      lostCount: busState.counts.lost.load(ordering: .relaxed)
    )
  }
}

/// A named list of observers of any payload type.
protocol NamedObservers: AnyObject, Sendable {
  var name: String { get }
  func observations() -> [EventBus.Snapshot.Observation]
  /// Waits until the posts have ended that are in progress.
  func waitForPosts() async -> Bool
  /// Returns what has not been handled, except by some registrations.
  func unhandled(except own: Set<ObjectIdentifier>) -> [EventBus.SettlingError.Remainder]
}

extension SignalCore: NamedObservers {
  func observations() -> [EventBus.Snapshot.Observation] {
    var observations: [(order: UInt, seen: EventBus.Snapshot.Observation)] = []
    forEach { sink in
      let content = sink.content
      observations.append(
        (
          sink.number,
          EventBus.Snapshot.Observation(
            name: name,
            ownerType: sink.ownerClass.map { "\($0)" },
            // The owner of a handler on an actor is inspected on that actor only.
            isAlive: sink.home != nil || !sink.hasLostOwner,
            site: SourceSite(sink.registration.site),
            priority: Priority(sink.priority),
            isPaused: sink.registration.isPaused,
            waitingCount: content?.waitingCount ?? 0,
            droppedCount: content?.droppedCount ?? 0
          )
        )
      )
    }
    let ordered = observations.ordered { left, right in
      let (first, second) = (left.seen.priority, right.seen.priority)
      return first != second ? first > second : left.order < right.order
    }
    return ordered.map(\.seen)
  }
}
