import EventBus
import TestSupport
import Testing

@Suite("Timer schedule")
struct TimerScheduleTests {
  /// Ticks as they are delivered.
  struct Case: Sendable, CustomStringConvertible {
    let policy: MissedTicks
    /// When the sleeper, or the actor, is ready for the first ticks; a tick never begins before its deadline.
    var ready: [Int] = []
    /// How long the first ticks run; the others run for one unit.
    var lengths: [Int] = []
    /// When the ticks begin.
    let begin: [Int]
    /// The missed deadlines and the lateness of the first ticks; the others have none.
    var missed: [Int] = []
    var late: [Int] = []

    var description: String { "\(policy), ready \(ready), running for \(lengths)" }
  }

  static let cases = [
    Case(policy: .skip, begin: [10, 20, 30]),
    // The first runs through three deadlines.
    Case(policy: .skip, lengths: [35], begin: [10, 50, 60], missed: [0, 3]),
    Case(policy: .burst, lengths: [35], begin: [10, 45, 46, 47, 50, 60], late: [0, 25, 16, 7]),
    Case(policy: .delay, lengths: [35], begin: [10, 55, 65]),
    // It ends exactly at a deadline, which has not passed.
    Case(policy: .skip, lengths: [20], begin: [10, 30, 40], missed: [0, 1]),
    Case(policy: .delay, lengths: [10], begin: [10, 20]),
    // The machine slept.
    Case(policy: .skip, ready: [45], begin: [45, 50, 60], missed: [3], late: [5]),
    Case(policy: .burst, ready: [35], begin: [35, 36, 37, 40], late: [25, 16, 7]),
    Case(policy: .delay, ready: [45], begin: [45, 56, 66], late: [35]),
    // Slept, and then ran for long.
    Case(policy: .skip, ready: [25], lengths: [20], begin: [25, 50], missed: [1, 2], late: [5]),
    // A little late, every time.
    Case(policy: .skip, ready: [13, 23, 33], begin: [13, 23, 33], late: [3, 3, 3]),
    Case(policy: .delay, ready: [13, 23, 33], begin: [13, 23, 33], late: [3, 3, 3]),
  ]

  @Test("Each policy treats missed deadlines as its documentation states", arguments: cases)
  func table(_ sample: Case) {
    var schedule = TimerSchedule(from: 0, every: 10, missed: sample.policy)
    var now: Int128 = 0
    for index in sample.begin.indices {
      func value(_ values: [Int], or rest: Int) -> Int {
        index < values.count ? values[index] : rest
      }
      now = max(now, schedule.deadline, Int128(value(sample.ready, or: 0)))
      #expect(now == sample.begin[index])
      let tick = schedule.begin(at: now)
      #expect(tick.index == index)
      #expect(tick.missed == value(sample.missed, or: 0))
      #expect(tick.lateness == value(sample.late, or: 0))
      now += Int128(value(sample.lengths, or: 1))
      schedule.end(at: now)
    }
  }

  @Test("Ticks of any lateness stay on the multiples of the interval")
  func noDrift() {
    let interval: Int128 = 16_666_667
    var schedule = TimerSchedule(from: 0, every: interval, missed: .skip)
    var strays = 0
    for index in 1...Int128(size(50_000, full: 1_000_000)) {
      if schedule.deadline != interval * index { strays += 1 }
      let begin = schedule.deadline + index % 7_000_000
      _ = schedule.begin(at: begin)
      schedule.end(at: begin + index % 9_000_000)
    }
    #expect(strays == 0)
  }

  @Test("Delivered and missed ticks add up to all deadlines, for any delays")
  func nothingUncounted() {
    var numbers = SampleNumbers(seed: 7)
    for _ in 0..<200 {
      var schedule = TimerSchedule(from: 0, every: 10, missed: .skip)
      var now: Int128 = 0
      var sum: Int128 = 0
      for _ in 0..<50 {
        now = max(now, schedule.deadline) + Int128(numbers.next(below: 37))
        let tick = schedule.begin(at: now)
        sum += 1 + Int128(tick.missed)
        // The deadline of the tick is the last that has passed.
        #expect(schedule.deadline == 10 * sum)
        #expect((0..<10).contains(tick.lateness))
        now += Int128(numbers.next(below: 37))
        schedule.end(at: now)
        #expect(schedule.deadline >= now)
      }
    }
  }

  @Test("An interval of one unit that is years behind is computed exactly")
  func tinyInterval() {
    var schedule = TimerSchedule(from: 0, every: 1, missed: .skip)
    let second: Int128 = 1_000_000_000_000_000_000
    let tick = schedule.begin(at: 3 * second)
    #expect(tick.missed == 2_999_999_999_999_999_999)
    #expect(tick.lateness == 0)
    schedule.end(at: 3 * second)
    // More than the count can hold.
    #expect(schedule.begin(at: 300_000_000 * second).missed == .max)
    schedule.end(at: 300_000_001 * second)
    #expect(schedule.deadline == 300_000_001 * second)
  }

  @Test("The longest times of a queue do not overflow, whatever the policy")
  func longestTimes() {
    let longest = Duration(attoseconds: .max).timerCount
    for policy in [.skip, .burst, .delay, nil] as [MissedTicks?] {
      for interval in [1, longest] {
        var schedule = TimerSchedule(
          from: 0,
          every: interval,
          tolerance: longest,
          missed: policy
        )
        _ = schedule.begin(at: max(schedule.deadline, longest))
        schedule.end(at: longest)
        schedule.resume(at: longest)
        #expect(schedule.latest >= schedule.deadline)
      }
    }
  }

  @Test("After a pause the schedule continues at the next deadline and counts no missed ones")
  func resume() {
    var schedule = TimerSchedule(from: 0, every: 10, missed: .skip)
    schedule.pause(at: 2)
    schedule.resume(at: 5)
    #expect(schedule.deadline == 10)
    schedule.pause(at: 6)
    schedule.resume(at: 30)
    #expect(schedule.deadline == 40)
    #expect(schedule.begin(at: 40).missed == 0)
  }

  @Test("A pause that is reported twice began with the first report")
  func pauseTwice() {
    var schedule = TimerSchedule(from: 0, every: 10, missed: .burst)
    schedule.pause(at: 2)
    schedule.pause(at: 15)
    schedule.resume(at: 25)
    #expect(schedule.deadline == 30)
  }

  @Test("After two pauses that meet at a deadline, a tick that was due before them is served")
  func pausesThatMeet() {
    var schedule = TimerSchedule(from: 0, every: 10, missed: .skip)
    for (start, end) in [(15, 20), (20, 30)] as [(Int128, Int128)] {
      schedule.pause(at: start)
      schedule.resume(at: end)
    }
    let tick = schedule.begin(at: 35)
    #expect(schedule.deadline == 10)
    #expect(tick.lateness == 25 && tick.missed == 0)
  }

  @Test(
    "Whatever pauses and ticks overlap, each deadline is served, missed or in a pause, and only once",
    arguments: [MissedTicks.skip, .burst]
  )
  func pausesModel(policy: MissedTicks) {
    var numbers = SampleNumbers(seed: 19)
    for _ in 0..<size(300, full: 2_000) {
      var schedule = TimerSchedule(from: 0, every: 10, missed: policy)
      var (now, pausedSince): (Int128, Int128?) = (0, nil)
      var (isRunning, left): (Bool, Set<Int128>) = (false, [])
      var (served, missed) = (0, 0)
      for _ in 0..<40 {
        let former = now
        now += Int128(numbers.next(below: 14))
        // Deadlines that fall into no pause, and are not yet over.
        for time in (former + 1)...max(now, former + 1) where time <= now && time % 10 == 0 {
          if pausedSince == nil { left.insert(time) }
        }
        switch numbers.next(below: 4) {
        case 0:
          if pausedSince == nil {
            pausedSince = now
            schedule.pause(at: now)
            // A deadline at the beginning of a pause belongs to it, unless its tick has begun.
            left.remove(now)
          }
        case 1:
          if pausedSince != nil {
            pausedSince = nil
            schedule.resume(at: now)
          }
        case 2 where isRunning:
          isRunning = false
          schedule.end(at: now)
          guard policy == .skip else { break }
          // What has passed is missed; a deadline that is now has not passed.
          let passed = left.filter { $0 < min(now, pausedSince ?? now) }
          missed += passed.count
          left.subtract(passed)
        case 3 where !isRunning && pausedSince == nil && schedule.deadline <= now:
          isRunning = true
          let expected = policy == .skip ? left.max() : left.min()
          let tick = schedule.begin(at: now)
          #expect(schedule.deadline == expected)
          #expect(tick.lateness == now - (expected ?? 0))
          if policy == .skip {
            missed += left.count - 1
            left = []
            #expect(tick.missed == missed)
          } else {
            expected.map { _ = left.remove($0) }
            #expect(tick.missed == 0)
          }
          missed = 0
          #expect(tick.index == served)
          served += 1
        default: break
        }
      }
    }
  }

  @Test("The deadlines that a slow handler leaves behind take no more memory the more they are")
  func behindForever() {
    var schedule = TimerSchedule(from: 0, every: 10, missed: .burst)
    var now: Int128 = 10
    for tick in 0..<10_000 {
      #expect(schedule.begin(at: now).lateness == now - Int128(tick + 1) * 10)
      now += 15
      schedule.end(at: now)
      #expect(schedule.runCount <= 1)
    }
  }
}
