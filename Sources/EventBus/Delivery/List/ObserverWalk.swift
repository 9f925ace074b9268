/// Walks one group of observers by falling priority and rising number.
///
/// Walks are merged by comparing their current observers. For announced readers only.
struct ObserverWalk {
  /// The table of ``PriorityLists``.
  private let table: AtomicWords?
  private let tableEnd: Int
  private var list = 0
  private var block: AtomicWords?
  private var index = 0
  private var end = 0

  /// The address of the current observer, or zero at the end.
  private(set) var address: UInt = 0
  private var priority = Int.min
  private var number = UInt.max

  /// A walk that is at its end.
  init() { (table, tableEnd) = (nil, 0) }

  /// Begins a walk at the first observer.
  init(_ lists: borrowing PriorityLists) {
    table = lists.tableBlock
    tableEnd = table?.count ?? 0
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
      guard let table, list < tableEnd else {
        (block, address) = (nil, 0)
        return
      }
      priority = Int(bitPattern: table[list])
      block = AtomicWords(address: table[list + 1])
      (index, end) = (0, block?.count ?? 0)
      list += PriorityLists.stride
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
/// For announced readers only. An empty group is a walk at its end.
struct MergedWalk {
  /// The observers of any sender.
  var common: ObserverWalk
  /// The observers of the post's own sender.
  var special: ObserverWalk
  /// The observers of any event.
  var wildcards: ObserverWalk

  /// The address of an observer, and whether it observes every event of the bus.
  typealias Position = (address: UInt, isWildcard: Bool)

  /// Returns the next observer, or `nil` at the end.
  mutating func next() -> Position? {
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
  @inline(never)
  mutating func remaining() -> [Position] {
    var positions: [Position] = []
    while let position = next() { positions.append(position) }
    return positions
  }
}

@available(*, unavailable)
extension MergedWalk: Sendable {}
