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
