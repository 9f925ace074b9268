/// The tasks that sleep on a manual clock, by deadline and, among equals, by arrival.
///
/// A plain value; waking up is left to whoever took a sleeper out.
internal struct ManualSleepers: Sendable {
  /// A task that sleeps.
  internal struct Sleeper: Sendable {
    internal let deadline: ManualClock.Instant
    internal let number: UInt
    internal let continuation: CheckedContinuation<Bool, Never>
    /// The timer, if any, whose task it is.
    internal let unit: TimerActivity.Unit?

    /// Wakes it up, under no lock.
    internal func wake(isRested: Bool) {
      unit?.wake()
      continuation.resume(returning: isRested)
    }
  }

  private var sleepers: [Sleeper] = []
  private var lastNumber: UInt = 0

  /// How many there are.
  internal var count: Int { sleepers.count }

  /// Who wakes up first.
  internal var first: Sleeper? { sleepers.first }

  /// A number for a task that is about to sleep.
  internal mutating func nextNumber() -> UInt {
    lastNumber += 1
    return lastNumber
  }

  /// Adds a sleeper behind those with the same deadline.
  ///
  /// - Complexity: O(*n*).
  internal mutating func insert(_ sleeper: Sleeper) {
    let index = sleepers.lastIndex { $0.deadline <= sleeper.deadline }
    sleepers.insert(sleeper, at: index.map { $0 + 1 } ?? 0)
  }

  /// Removes the sleeper with a number.
  internal mutating func remove(_ number: UInt) -> Sleeper? {
    sleepers.firstIndex { $0.number == number }.map { sleepers.remove(at: $0) }
  }

  /// Removes those whose deadline has come.
  internal mutating func takeRested(at now: ManualClock.Instant) -> [Sleeper] {
    let rested = Array(sleepers.prefix { $0.deadline <= now })
    sleepers.removeFirst(rested.count)
    return rested
  }
}
