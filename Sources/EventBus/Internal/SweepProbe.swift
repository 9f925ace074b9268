/// Decides how many owners a registration looks at, to find out whether many have died.
///
/// Nobody tells when an ordinary object dies, so a registration with such an owner looks at a few places
/// spread evenly over the list. Every dead one it finds lets it look at more; where it keeps finding
/// them, the whole list is swept. The work is at most ``firstLooks`` looks a registration and
/// ``looksPerFind`` for each dead owner found.
package struct SweepProbe {
  /// How many places are looked at in any case.
  package static let firstLooks = 8
  /// How many more for each dead owner.
  package static let looksPerFind = 8
  /// Up to this many places all are looked at.
  package static let smallList = 24
  /// A probe that got this far has found enough to sweep.
  package static let enoughLooks = 64

  private let total: UInt
  private let start: UInt
  private var looked: UInt = 0
  private var budget = firstLooks

  /// Begins a probe.
  ///
  /// - Parameters:
  ///   - total: How many places there are.
  ///   - seed: Another number for every probe.
  package init(total: Int, seed: UInt) {
    self.total = UInt(total)
    start = seed &* UInt(Self.firstLooks)
  }

  /// Whether all places should be looked at.
  package var shouldSweep: Bool {
    total <= Self.smallList || looked >= min(total, UInt(Self.enoughLooks))
  }

  /// The next place to look at, or `nil` when enough is known.
  package mutating func next() -> Int? {
    guard budget > 0, !shouldSweep else { return nil }
    // Multiples of the golden ratio fall evenly into any interval.
    let place = (start &+ looked) &* 0x9E37_79B9_7F4A_7C15
    looked += 1
    budget -= 1
    return Int(place.multipliedFullWidth(by: total).high)
  }

  /// Takes note of a dead owner at the place just looked at.
  package mutating func foundDead() { budget += Self.looksPerFind }
}
