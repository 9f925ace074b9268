/// Ticks that are due, sorted by the lanes they will be handed to.
internal struct TickGroups {
  private struct Group {
    let actor: (any Actor)?
    var ticks: [DueTick]
  }

  private var groups: [Group] = []
  private var places: [ObjectIdentifier?: Int] = [:]

  /// Adds a tick behind those of the same actor, or of no actor.
  internal mutating func append(_ tick: DueTick, on actor: (any Actor)?) {
    let name = actor.map { ObjectIdentifier($0) }
    if let place = places[name] {
      groups[place].ticks.append(tick)
    } else {
      places[name] = groups.count
      groups.append(Group(actor: actor, ticks: [tick]))
    }
  }

  /// Hands the ticks over, the lane of the earliest first.
  internal func send(to lanes: TickLanes) {
    for group in groups { lanes.add(group.ticks, on: group.actor) }
  }
}
