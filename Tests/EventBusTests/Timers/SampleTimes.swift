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
