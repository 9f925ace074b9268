/// Walks one group of observers by falling priority and rising number.
///
/// Several walks are merged by comparing where they stand. For announced readers only.
package struct ObserverWalk {
  private var lanes: LaneCursor
  private var block: SlotBlock?
  private var index = 0
  private var end = 0

  /// The observer the walk stands at, or zero at the end.
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

  /// Goes on to the next observer.
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

  /// Whether this walk's observer comes before another's.
  package func isAhead(of other: ObserverWalk) -> Bool {
    if address == 0 || other.address == 0 { return address != 0 }
    return priority != other.priority ? priority > other.priority : number < other.number
  }
}

@available(*, unavailable)
extension ObserverWalk: Sendable {}

/// Walks the observers one post concerns in the one order there is, by priority and number.
///
/// Three groups are merged: the observers for any sender, those for the post's own sender, and those of
/// any event. For announced readers only.
package struct MergedWalk {
  /// One observer on the way.
  package struct Stop {
    /// The observer's address.
    package let address: UInt
    /// Whether it observes every event of the bus.
    package let isWildcard: Bool
  }

  private var common: ObserverWalk
  private var special: ObserverWalk
  private var wildcards: ObserverWalk

  /// Merges three walks; one without observers is at its end.
  package init(
    common: ObserverWalk,
    special: ObserverWalk,
    wildcards: ObserverWalk
  ) {
    self.common = common
    self.special = special
    self.wildcards = wildcards
  }

  /// The next observer, or nothing at the end.
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

  /// All that are left, for somebody who must know them before any handler runs.
  package consuming func rest() -> [Stop] {
    var walk = self
    var stops: [Stop] = []
    while let stop = walk.next() { stops.append(stop) }
    return stops
  }
}

@available(*, unavailable)
extension MergedWalk: Sendable {}
