/// Walks one group of observers by falling priority and rising number.
///
/// Walks are merged by comparing their current observers. For announced readers only.
package struct ObserverWalk {
  private var lanes: LaneCursor
  private var block: SlotBlock?
  private var index = 0
  private var end = 0

  /// The address of the current observer, or zero at the end.
  package private(set) var address: UInt = 0
  private var priority = Int.min
  private var number = UInt.max

  /// A walk that is at its end.
  package init() { lanes = LaneCursor() }

  /// Begins a walk at the first observer.
  package init(_ published: borrowing PublishedLanes) {
    lanes = published.lanes
    advance()
  }

  /// Advances to the next observer.
  package mutating func advance() {
    while true {
      while let block, index < end {
        let word = block[index]
        index += 1
        if word != 0 {
          address = word
          number = ObjectAddress.borrow(word) { (observer: AnyObserver) in observer.order } ?? 0
          return
        }
      }
      guard let lane = lanes.next() else {
        (block, address) = (nil, 0)
        return
      }
      (block, index, end, priority) = (lane.block, 0, lane.block.count, lane.priority)
    }
  }

  /// Returns whether this walk's current observer precedes another's.
  package func isAhead(of other: ObserverWalk) -> Bool {
    if address == 0 || other.address == 0 { return address != 0 }
    return priority != other.priority ? priority > other.priority : number < other.number
  }
}

@available(*, unavailable)
extension ObserverWalk: Sendable {}

/// Walks all observers that one post concerns, by priority and number.
///
/// Merges three groups: the observers of any sender, those of the post's own sender, and those of any
/// event. For announced readers only.
package struct MergedWalk {
  /// An observer on the way.
  package struct Stop {
    /// The observer's address.
    package let address: UInt
    /// A Boolean value that indicates whether it observes every event of the bus.
    package let isWildcard: Bool
  }

  private var common: ObserverWalk
  private var special: ObserverWalk
  private var wildcards: ObserverWalk

  /// Merges three walks; an empty group is a walk at its end.
  package init(
    common: ObserverWalk,
    special: ObserverWalk,
    wildcards: ObserverWalk
  ) {
    self.common = common
    self.special = special
    self.wildcards = wildcards
  }

  /// Returns the next observer, or `nil` at the end.
  package mutating func next() -> Stop? {
    if wildcards.isAhead(of: common), wildcards.isAhead(of: special) {
      defer { wildcards.advance() }
      return Stop(address: wildcards.address, isWildcard: true)
    }
    if special.isAhead(of: common) {
      defer { special.advance() }
      return Stop(address: special.address, isWildcard: false)
    }
    guard common.address != 0 else { return nil }
    defer { common.advance() }
    return Stop(address: common.address, isWildcard: false)
  }

  /// Returns all remaining observers, for callers that need them before any handler runs.
  package consuming func rest() -> [Stop] {
    var walk = self
    var stops: [Stop] = []
    while let stop = walk.next() { stops.append(stop) }
    return stops
  }
}

@available(*, unavailable)
extension MergedWalk: Sendable {}
