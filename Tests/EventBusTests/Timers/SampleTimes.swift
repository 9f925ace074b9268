import EventBus
import EventBusTesting
import TestSupport

/// The facts about a tick that the tests compare.
struct SeenTick: Hashable, Sendable, CustomStringConvertible {
  let index: Int
  let missed: Int
  let lateness: Duration?
  /// Where the clock stood, in seconds.
  let time: Int64

  init(_ tick: Tick, _ clock: ManualClock) {
    index = tick.index
    missed = tick.missed
    lateness = tick.lateness
    time = clock.now.offset.components.seconds
  }

  init(_ index: Int, at time: Int64, missed: Int = 0, late: Int = 0) {
    self.index = index
    self.missed = missed
    lateness = .seconds(late)
    self.time = time
  }

  var description: String { "\(index) at \(time), \(missed) missed, late by \(lateness as Any)" }
}

extension ManualClock.Instant {
  /// So many seconds after the beginning.
  static func second(_ number: Int) -> ManualClock.Instant {
    ManualClock.Instant(offset: .seconds(number))
  }
}

/// A clock that is a value, on top of a manual one.
struct ValueClock: Clock {
  let base: ManualClock

  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

/// A clock, on top of a manual one, that wakes a sleeper one second early, and again at its deadline if the
/// sleeper goes back to sleep.
struct EarlyClock: Clock {
  let base: ManualClock

  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    let early = deadline.advanced(by: .seconds(-1))
    try await base.sleep(until: early > now ? early : deadline, tolerance: tolerance)
  }
}

/// A clock that counts frames.
final class FrameClock: Clock, Sendable {
  struct Frames: DurationProtocol, Hashable {
    var count: Int

    static let zero = Frames(count: 0)
    static func < (left: Frames, right: Frames) -> Bool { left.count < right.count }
    static func + (left: Frames, right: Frames) -> Frames {
      Frames(count: left.count + right.count)
    }
    static func - (left: Frames, right: Frames) -> Frames {
      Frames(count: left.count - right.count)
    }
    static func * (left: Frames, right: Int) -> Frames { Frames(count: left.count * right) }
    static func / (left: Frames, right: Int) -> Frames { Frames(count: left.count / right) }
    static func / (left: Frames, right: Frames) -> Double {
      Double(left.count) / Double(right.count)
    }
  }

  struct Instant: InstantProtocol {
    var frame: Int

    func advanced(by duration: Frames) -> Instant { Instant(frame: frame + duration.count) }
    func duration(to other: Instant) -> Frames { Frames(count: other.frame - frame) }
    static func < (left: Instant, right: Instant) -> Bool { left.frame < right.frame }
  }

  /// A frame is a second of it.
  let base = ManualClock()
  private let start: Int

  init(at start: Int = 0) { self.start = start }

  var now: Instant { Instant(frame: start + Int(base.now.offset.components.seconds)) }
  var minimumResolution: Frames { Frames(count: 1) }

  func sleep(until deadline: Instant, tolerance: Frames?) async throws {
    // A clock may compute the latest time of the wake-up.
    if let tolerance { _ = deadline.advanced(by: tolerance) }
    try await base.sleep(until: .second(deadline.frame - start))
  }
}

/// A duration that is a rounded number of seconds.
struct Fraction: DurationProtocol, Hashable {
  var seconds: Double

  init(_ seconds: Double) { self.seconds = seconds }

  static let zero = Fraction(0)
  static func < (left: Fraction, right: Fraction) -> Bool { left.seconds < right.seconds }
  static func + (left: Fraction, right: Fraction) -> Fraction {
    Fraction(left.seconds + right.seconds)
  }
  static func - (left: Fraction, right: Fraction) -> Fraction {
    Fraction(left.seconds - right.seconds)
  }
  static func * (left: Fraction, right: Int) -> Fraction { Fraction(left.seconds * Double(right)) }
  static func / (left: Fraction, right: Int) -> Fraction { Fraction(left.seconds / Double(right)) }
  static func / (left: Fraction, right: Fraction) -> Double { left.seconds / right.seconds }
}

/// A clock that measures in rounded fractions of seconds and does not know its resolution.
final class FractionClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    /// Far from zero, so that sums are rounded.
    var seconds: Double

    func advanced(by duration: Fraction) -> Instant { Instant(seconds: seconds + duration.seconds) }
    func duration(to other: Instant) -> Fraction { Fraction(other.seconds - seconds) }
    static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }
  }

  let base = ManualClock()

  var now: Instant { Instant(seconds: 1_000.1 + base.now.offset / .seconds(1)) }
  var minimumResolution: Fraction { .zero }

  func sleep(until deadline: Instant, tolerance: Fraction?) async throws {
    try await base.sleep(
      until: ManualClock.Instant(offset: .nanoseconds(Int64((deadline.seconds - 1_000.1) * 1e9)))
    )
  }
}
