/// A measure of a clock's durations in whole units, so that timers add and compare integers.
///
/// Clocks that measure in `Duration` are counted in attoseconds, which is exact. For any other duration type
/// the unit is a sample that has been halved until it cannot be halved again, 62 times at most. A type that
/// counts something is therefore exact as well; a type that rounds is as exact as its own arithmetic.
///
/// Counts are limited to a quarter of the range of their type, so that sums of a few never overflow.
package struct TimerScale<D: DurationProtocol>: Sendable {
  private static var limit: Int128 { .max / 4 }
  /// The number of bits that one multiplication or division of a duration handles, on any platform.
  private static var digit: Int { 30 }

  /// The unit; unused if the durations are `Duration`, and zero if every sample was.
  private let unit: D

  /// Creates a scale.
  ///
  /// - Parameter samples: Durations to derive the unit from. The first one above zero counts.
  package init(_ samples: D...) {
    var unit = samples.first { $0 > .zero } ?? .zero
    if D.self != Duration.self {
      for _ in 0..<62 {
        let half = unit / 2
        guard half > .zero, half < unit else { break }
        unit = half
      }
    }
    self.unit = unit
  }

  /// A Boolean value that indicates whether the scale can only measure zero.
  package var isEmpty: Bool { D.self != Duration.self && unit == .zero }

  /// Returns the number of units in a duration, rounded toward zero.
  package func count(_ duration: D) -> Int128 {
    if let duration = duration as? Duration {
      return min(max(duration.attoseconds, -Self.limit), Self.limit)
    }
    guard unit > .zero else { return 0 }
    let ratio = duration / unit
    guard ratio.magnitude < Double(Self.limit) else { return ratio < 0 ? -Self.limit : Self.limit }
    var (rest, count) = (duration, 0 as Int128)
    // Each pass removes most of the leading digit. The last ones correct quotients that were rounded.
    for _ in 0..<32 {
      var (step, shift, quotient) = (unit, 0, rest / unit)
      // At least two of the new steps remain, so that no step is past the end of the type.
      while quotient.magnitude >= 2 * Double(1 << Self.digit) {
        step = step * (1 << Self.digit)
        shift += Self.digit
        quotient = rest / step
      }
      var part = Int(quotient)
      // A quotient that was rounded up would put the product past the end of the type.
      if shift > 0 { part -= part.signum() }
      if part == 0 { break }
      rest -= step * part
      count += Int128(part) << shift
    }
    return count
  }

  /// Returns the duration of a number of units.
  package func duration(_ count: Int128) -> D {
    if let duration = Duration(attoseconds: count) as? D { return duration }
    var (sum, step, rest) = (D.zero, unit, count)
    while rest != 0 {
      let part = Int(rest % (1 << Self.digit))
      if part != 0 { sum += step * part }
      rest /= 1 << Self.digit
      if rest != 0 { step = step * (1 << Self.digit) }
    }
    return sum
  }
}
