internal import Synchronization

/// Walks one group of observers by falling priority and rising number.
///
/// Walks are merged by comparing their current observers. For announced readers only.
struct ObserverWalk {
  /// The lanes: slots that alternate between a priority and a block.
  private let table: SlotBlock?
  private let laneEnd: Int
  private var laneIndex = 0
  private var block: SlotBlock?
  private var index = 0
  private var end = 0

  /// The address of the current observer, or zero at the end.
  private(set) var address: UInt = 0
  /// The priority of the current observer.
  private(set) var priority = Int.min
  private var number = UInt.max

  /// A walk that is at its end.
  init() { (table, laneEnd) = (nil, 0) }

  /// Begins a walk at the first observer.
  init(_ published: borrowing PublishedLanes) {
    table = SlotBlock(address: published.table.load(ordering: .sequentiallyConsistent))
    laneEnd = table?.count ?? 0
    advance()
  }

  /// Advances to the next observer.
  mutating func advance() {
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
      guard let table, laneIndex < laneEnd else {
        (block, address) = (nil, 0)
        return
      }
      priority = Int(bitPattern: table[laneIndex])
      block = SlotBlock(address: table[laneIndex + 1])
      (index, end) = (0, block?.count ?? 0)
      laneIndex += 2
    }
  }

  /// Returns whether this walk's current observer precedes another's.
  func isAhead(of other: ObserverWalk) -> Bool {
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
struct MergedWalk {
  /// The address of an observer, and whether it observes every event of the bus.
  typealias Stop = (address: UInt, isWildcard: Bool)

  private var common: ObserverWalk
  private var special: ObserverWalk
  private var wildcards: ObserverWalk

  /// Merges three walks; an empty group is a walk at its end.
  init(
    common: ObserverWalk,
    special: ObserverWalk,
    wildcards: ObserverWalk
  ) {
    self.common = common
    self.special = special
    self.wildcards = wildcards
  }

  /// Returns the next observer, or `nil` at the end.
  mutating func next() -> Stop? {
    if wildcards.isAhead(of: common), wildcards.isAhead(of: special) {
      defer { wildcards.advance() }
      return (wildcards.address, true)
    }
    if special.isAhead(of: common) {
      defer { special.advance() }
      return (special.address, false)
    }
    guard common.address != 0 else { return nil }
    defer { common.advance() }
    return (common.address, false)
  }

  /// Returns all remaining observers, for callers that need them before any handler runs.
  consuming func remaining() -> [Stop] {
    var walk = self
    var stops: [Stop] = []
    while let stop = walk.next() { stops.append(stop) }
    return stops
  }
}

@available(*, unavailable)
extension MergedWalk: Sendable {}
