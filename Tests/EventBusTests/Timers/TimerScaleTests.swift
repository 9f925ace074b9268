import EventBus
import TestSupport
import Testing

@Suite("Timer scale")
struct TimerScaleTests {
  private typealias Frames = FrameClock.Frames

  /// Numbers of any size and sign, and those around powers of two.
  private func samples(below bits: Int) -> [Int64] {
    var numbers = SampleNumbers(seed: bits)
    let powers = (0..<bits).flatMap { [1 << $0, 1 << $0 - 1, 1 << $0 + 1] as [Int64] }
    let others = (0..<1_000).map { _ in
      Int64(numbers.next(below: 1 << 31)) << Int64(numbers.next(below: bits - 31))
        + Int64(numbers.next(below: 1 << 31))
    }
    return [0] + powers + others + powers.map { -$0 }
  }

  @Test("A Duration is its number of attoseconds, exactly, and back")
  func durations() {
    let scale = TimerScale<Duration>(.seconds(3))
    for seconds in samples(below: 60) {
      for rest in [0, 1, 999_999_999_999_999_999] as [Int64] {
        let duration = Duration(secondsComponent: seconds, attosecondsComponent: rest)
        #expect(scale.count(duration) == duration.attoseconds)
        #expect(scale.duration(duration.attoseconds) == duration)
      }
    }
    #expect(scale.count(Duration(attoseconds: .max)) == Int128.max / 4)
    #expect(scale.count(Duration(attoseconds: .min)) == -(Int128.max / 4))
  }

  @Test(
    "A type that counts is exact, whatever sample the unit comes from",
    arguments: [1, 3, 60, 1 << 40, .max / 2, .max]
  )
  func frames(sample: Int) {
    let scale = TimerScale(Frames(count: sample))
    #expect(scale.count(Frames(count: 1)) == 1)
    for number in samples(below: 63).map(Int.init) + [.max - 1, .max, -.max, .min] {
      #expect(scale.count(Frames(count: number)) == Int128(number))
      #expect(scale.duration(Int128(number)) == Frames(count: number))
    }
  }

  @Test("The digits of a duration are found at every distance from the end of its type")
  func wideUnits() {
    // The halving ends before the unit is one.
    for bits in 63..<126 {
      let scale = TimerScale(Wide(count: 1 << bits))
      let unit = max(bits - 62, 0)
      for rest in [.max, .max - 1, .max / 2, .max / 3] as [Int128] {
        let expected = min(rest >> unit, .max / 4)
        #expect(scale.count(Wide(count: (rest >> unit) << unit)) == expected)
        // The quotient of the last unit may be rounded up.
        #expect(scale.count(Wide(count: rest)) - expected <= 1)
      }
    }
  }

  @Test("The unit comes from the first sample above zero")
  func firstSample() {
    #expect(
      TimerScale(Frames.zero, Frames(count: -2), Frames(count: 8)).count(Frames(count: 5)) == 5
    )
    let empty = TimerScale(Frames.zero)
    #expect(empty.isEmpty)
    #expect(empty.count(Frames(count: 5)) == 0)
    #expect(!TimerScale<Duration>().isEmpty)
  }

  @Test("A type that rounds keeps its precision, and its order")
  func fractions() {
    let scale = TimerScale(Fraction(0.1))
    var former: Int128 = -1
    for step in 0..<100_000 {
      let seconds = Double(step) * 0.000_37
      let count = scale.count(Fraction(seconds))
      #expect(count > former)
      #expect(abs(scale.duration(count).seconds - seconds) <= seconds * 1e-15)
      former = count
    }
  }

  @Test("Durations without a number are as long as possible, or nothing")
  func infinite() {
    let scale = TimerScale(Fraction(1))
    #expect(scale.count(Fraction(.infinity)) == Int128.max / 4)
    #expect(scale.count(Fraction(-.infinity)) == -(Int128.max / 4))
    #expect(scale.count(Fraction(1e300)) == Int128.max / 4)
    #expect(scale.count(Fraction(.nan)) == Int128.max / 4)
  }

  /// A duration that is a number of 128 bits.
  private struct Wide: DurationProtocol {
    var count: Int128

    static let zero = Wide(count: 0)
    static func < (left: Wide, right: Wide) -> Bool { left.count < right.count }
    static func + (left: Wide, right: Wide) -> Wide { Wide(count: left.count + right.count) }
    static func - (left: Wide, right: Wide) -> Wide { Wide(count: left.count - right.count) }
    static func * (left: Wide, right: Int) -> Wide { Wide(count: left.count * Int128(right)) }
    static func / (left: Wide, right: Int) -> Wide { Wide(count: left.count / Int128(right)) }
    static func / (left: Wide, right: Wide) -> Double { Double(left.count) / Double(right.count) }
  }
}
