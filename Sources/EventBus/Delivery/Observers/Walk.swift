/// Walks the sinks that one post concerns, from up to three blocks, by falling priority and rising number.
///
/// For announced readers. The blocks and their counts are read before the first handler is called.
struct Walk {
  /// The address of a sink, and whether it observes every event of the bus.
  typealias Position = (address: UInt, isForEveryEvent: Bool)

  private struct Cursor {
    private let block: AtomicWords?
    private let end: Int
    private var index = 0
    /// The address of the current sink, or zero at the end.
    private(set) var address: UInt = 0
    private var place: (priority: Int, number: UInt) = (.min, .max)

    init(_ block: AtomicWords?) {
      (self.block, end) = (block, block?.count ?? 0)
      advance()
    }

    mutating func advance() {
      address = 0
      while let block, index < end, address == 0 {
        address = block[index]
        index += 1
      }
      place =
        ObjectAddress.borrow(address) { (sink: AnySink) in (sink.priority, sink.number) }
        ?? (.min, .max)
    }

    func isAhead(of other: Cursor) -> Bool {
      if address == 0 || other.address == 0 { return address != 0 }
      let (own, others) = (place, other.place)
      return own.priority != others.priority
        ? own.priority > others.priority : own.number < others.number
    }
  }

  private var common: Cursor
  private var addressed: Cursor
  private var wildcards: Cursor

  /// Begins a walk.
  ///
  /// - Parameters:
  ///   - common: The block of the observers of any sender.
  ///   - addressed: The block of the observers of the post's own sender.
  ///   - wildcards: The block of the observers of every event.
  init(_ common: AtomicWords?, _ addressed: AtomicWords?, _ wildcards: AtomicWords?) {
    self.common = Cursor(common)
    self.addressed = Cursor(addressed)
    self.wildcards = Cursor(wildcards)
  }

  /// Returns the next sink, or `nil` at the end.
  mutating func next() -> Position? {
    if wildcards.isAhead(of: common), wildcards.isAhead(of: addressed) {
      defer { wildcards.advance() }
      return (wildcards.address, true)
    }
    if addressed.isAhead(of: common) {
      defer { addressed.advance() }
      return (addressed.address, false)
    }
    guard common.address != 0 else { return nil }
    defer { common.advance() }
    return (common.address, false)
  }

  /// Returns all remaining sinks, for callers that need them before any handler runs.
  @inline(never)
  mutating func remaining() -> [Position] {
    var positions: [Position] = []
    while let position = next() { positions.append(position) }
    return positions
  }
}

@available(*, unavailable)
extension Walk: Sendable {}
