/// Decides how many owners a registration checks to find out whether many have died.
///
/// The death of an ordinary object triggers no notification. A registration with such an owner therefore
/// checks a few positions and decides whether to sweep the whole list:
///
/// - In a list of at most ``smallList`` positions, it checks half of them, one after the other. The first dead
///   owner leads to a sweep; otherwise at least half of the owners are alive.
/// - In a larger list, it checks ``firstChecks`` positions spread evenly, and ``checksPerFind`` more for each
///   dead owner. If it keeps finding them, it leads to a sweep.
package struct SweepProbe {
  /// The number of positions of a large list that are always checked.
  static let firstChecks = 8
  /// The number of additional checks for each dead owner in a large list.
  static let checksPerFind = 8
  /// The largest number of positions of a small list.
  static let smallList = 24
  /// The number of checks after which a probe of a large list has found enough to sweep.
  static let enoughChecks = 64

  private let total: UInt
  private let start: UInt
  private var checked: UInt = 0
  private var budget: Int
  private var hasFoundDead = false

  /// Begins a probe.
  ///
  /// - Parameters:
  ///   - total: The number of positions.
  ///   - seed: A number that differs from probe to probe.
  package init(total: Int, seed: UInt) {
    self.total = UInt(total)
    let isSmall = total <= Self.smallList
    start = isSmall ? seed % max(1, UInt(total)) : seed &* UInt(Self.firstChecks)
    budget = isSmall ? (total + 1) / 2 : Self.firstChecks
  }

  package var isSmall: Bool { total <= Self.smallList }

  /// True if there is nothing more to check, unless a dead owner is recorded.
  package var isComplete: Bool { budget <= 0 || checked >= total || shouldSweep }

  /// True if all positions should be checked.
  package var shouldSweep: Bool {
    isSmall ? hasFoundDead : checked >= min(total, UInt(Self.enoughChecks))
  }

  /// The next position to check, or `nil` when the probe is complete.
  package mutating func next() -> Int? {
    guard !isComplete else { return nil }
    defer { (checked, budget) = (checked + 1, budget - 1) }
    if isSmall { return Int((start + checked) % total) }
    return Int(spread(start &+ checked).multipliedFullWidth(by: UInt64(total)).high)
  }

  /// Records what is at a position that ``next()`` returned.
  ///
  /// - Parameter isDead: Whether the owner is dead; `nil` if the position is empty, or if its owner cannot be
  ///   checked here. That proves nothing about a small list, so another position is checked instead.
  package mutating func record(isDead: Bool?) {
    if isDead == true {
      hasFoundDead = true
      budget += Self.checksPerFind
    } else if isDead == nil, isSmall {
      budget += 1
    }
  }
}

/// Returns a multiple of the golden ratio, as a fraction of 2⁶⁴.
///
/// Multiples of the golden ratio are evenly distributed in any interval (D. E. Knuth, The Art of Computer
/// Programming, volume 3, 6.4).
func spread(_ number: UInt) -> UInt64 { UInt64(number) &* 0x9E37_79B9_7F4A_7C15 }
