internal import EventBus

/// The time limits of an application or a group, and the times of the messages about what takes long.
///
/// One task sleeps until the earliest of them.
///
/// ## Thread safety
///
/// Every member may be called from any thread. The clock is read, and closures are called and released,
/// outside the lock.
final class ServiceAlarms: Sendable {
  /// The subject of an alarm; a new alarm replaces the previous one of its subject.
  enum Key: Hashable, Sendable {
    /// A single service, or `nil` for all services together.
    case limit(of: Int?)
    /// The next message that names what the transition with this number waits for.
    case transition(Int)
    /// The next message about a start that is watched on request.
    case start
    /// The next message that names the pending work with this number.
    case work(UInt)
    /// The change to the background.
    case background
  }

  private struct Alarm: Sendable {
    let end: Duration
    let rank: ServiceTransition
    /// The number of alarms set before.
    let order: Int
    let body: @Sendable () -> Void
  }

  private struct State: Sendable {
    var alarms: [Key: Alarm] = [:]
    /// The number of alarms set so far.
    var count = 0
    var task: Task<Void, Never>?
    /// The number of the current task; earlier tasks have lower numbers.
    var number = 0
    /// The time at which the current task takes the due alarms: zero while it calls some, because it takes
    /// those that are due by then afterward, and `nil` without a task.
    var wakeUp: Duration?
    var isClosed = false

    /// Detaches the current task and returns it for cancellation.
    mutating func detachTask() -> Task<Void, Never>? {
      number += 1
      wakeUp = nil
      return task.take()
    }
  }

  /// The clock that measures the limits.
  let clock: any Clock<Duration>
  private let stopwatch: Stopwatch
  private let state = Locked(State())

  /// Creates an empty set of alarms.
  ///
  /// - Parameter clock: The clock that measures the limits.
  init(_ clock: any Clock<Duration>) {
    self.clock = clock
    stopwatch = Stopwatch(clock)
  }

  /// The time since creation.
  var elapsed: Duration { stopwatch.elapsed() }

  /// Calls a closure at a time.
  ///
  /// - Parameters:
  ///   - key: The subject of the alarm. An existing alarm is replaced unless its rank is higher, because two
  ///     threads may set successive limits in either order.
  ///   - rank: The transition that the time limits.
  ///   - end: The time since creation.
  ///   - body: Called once, unless the alarm is replaced or removed before.
  func set(
    _ key: Key,
    _ rank: ServiceTransition,
    at end: Duration,
    _ body: @escaping @Sendable () -> Void
  ) {
    let (number, released, former) = state.withLock { state -> (Int?, Alarm?, Task<Void, Never>?) in
      let alarm = Alarm(end: max(end, .zero), rank: rank, order: state.count, body: body)
      state.count += 1
      let replaced = state.alarms[key]
      if state.isClosed || replaced.map({ $0.rank > rank }) ?? false { return (nil, alarm, nil) }
      state.alarms[key] = alarm
      if let wakeUp = state.wakeUp, wakeUp <= alarm.end { return (nil, replaced, nil) }
      let former = state.detachTask()
      state.wakeUp = alarm.end
      return (state.number, replaced, former)
    }
    former?.cancel()
    withExtendedLifetime(released) {}
    guard let number else { return }
    let task = Task { await sleep(number) }
    let isLate = state.withLock { state in
      if state.number != number { return true }
      state.task = task
      return false
    }
    if isLate { task.cancel() }
  }

  /// Calls a closure after five seconds, and then every ten seconds, until it returns `false` or the alarm is
  /// removed.
  ///
  /// - Parameters:
  ///   - key: The subject of the alarm.
  ///   - report: Called with the time since this call.
  func setReports(_ key: Key, _ report: @escaping @Sendable (_ waited: Duration) -> Bool) {
    setReport(key, since: elapsed, next: .seconds(5), report)
  }

  private func setReport(
    _ key: Key,
    since start: Duration,
    next: Duration,
    _ report: @escaping @Sendable (_ waited: Duration) -> Bool
  ) {
    set(key, .start, at: start + next) {
      var waited = next
      // Of several times that have passed, report only the last.
      let elapsed = self.elapsed - start
      while waited + .seconds(10) <= elapsed { waited += .seconds(10) }
      if report(waited) { self.setReport(key, since: start, next: waited + .seconds(10), report) }
    }
  }

  /// Removes an alarm unless its rank exceeds the given one.
  func remove(_ key: Key, upTo rank: ServiceTransition) {
    let (alarm, former) = state.withLock { state -> (Alarm?, Task<Void, Never>?) in
      if let alarm = state.alarms[key], alarm.rank > rank { return (nil, nil) }
      let alarm = state.alarms.removeValue(forKey: key)
      return (alarm, state.alarms.isEmpty ? state.detachTask() : nil)
    }
    former?.cancel()
    withExtendedLifetime(alarm) {}
  }

  /// Removes all alarms and rejects later ones.
  func close() {
    let (alarms, former) = state.withLock { state in
      defer { state.alarms = [:] }
      state.isClosed = true
      return (state.alarms, state.detachTask())
    }
    former?.cancel()
    withExtendedLifetime(alarms) {}
  }

  nonisolated(nonsending) private func sleep(_ number: Int) async {
    while let end = next(number) {
      do { try await stopwatch.sleep(end) } catch { return }
      for alarm in takeDue(number, now: elapsed) { alarm.body() }
    }
  }

  /// Returns the time of the next alarm, or `nil` if there is none or a later task has taken over.
  private func next(_ number: Int) -> Duration? {
    state.withLock { state in
      guard state.number == number else { return nil }
      state.wakeUp = state.alarms.values.lazy.map(\.end).min()
      return state.wakeUp
    }
  }

  /// Takes the alarms that are due: of those with equal ends, messages first, then limits as they were set.
  private func takeDue(_ number: Int, now: Duration) -> [Alarm] {
    state.withLock { state in
      guard state.number == number else { return [] }
      state.wakeUp = .zero
      let due = state.alarms.filter { $0.value.end <= now }
      for key in due.keys { state.alarms[key] = nil }
      return due.values.ordered { ($0.end, $0.rank, $0.order) < ($1.end, $1.rank, $1.order) }
    }
  }
}
