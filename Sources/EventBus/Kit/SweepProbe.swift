/// Decides how many owners a registration checks to find out whether many have died.
///
/// The death of an ordinary object triggers no notification. A registration with such an owner therefore
/// checks a few positions spread evenly over the list. Every dead owner extends the sample; if the sample
/// keeps finding them, the whole list is swept. A probe checks at most ``firstChecks`` positions, and
/// ``checksPerFind`` more for each dead owner.
package struct SweepProbe {
  /// The number of positions that are always checked.
  package static let firstChecks = 8
  /// The number of additional checks for each dead owner.
  package static let checksPerFind = 8
  /// The largest number of positions that are all checked.
  package static let smallList = 24
  /// The number of checks after which a probe has found enough to sweep.
  package static let enoughChecks = 64

  private let total: UInt
  private let start: UInt
  private var checked: UInt = 0
  private var budget = firstChecks

  /// Begins a probe.
  ///
  /// - Parameters:
  ///   - total: The number of positions.
  ///   - seed: A number that differs from probe to probe.
  package init(total: Int, seed: UInt) {
    self.total = UInt(total)
    start = seed &* UInt(Self.firstChecks)
  }

  /// A Boolean value that indicates whether all positions should be checked.
  package var shouldSweep: Bool {
    total <= Self.smallList || checked >= min(total, UInt(Self.enoughChecks))
  }

  /// The next position to check, or `nil` when the probe is complete.
  package mutating func next() -> Int? {
    guard budget > 0, !shouldSweep else { return nil }
    let position = spread(start &+ checked)
    checked += 1
    budget -= 1
    return Int(position.multipliedFullWidth(by: UInt64(total)).high)
  }

  /// Records a dead owner at the position returned last.
  package mutating func foundDead() { budget += Self.checksPerFind }
}

/// Returns a multiple of the golden ratio, as a fraction of 2⁶⁴.
///
/// Multiples of the golden ratio are evenly distributed in any interval (D. E. Knuth, The Art of Computer
/// Programming, volume 3, 6.4).
func spread(_ number: UInt) -> UInt64 { UInt64(number) &* 0x9E37_79B9_7F4A_7C15 }
