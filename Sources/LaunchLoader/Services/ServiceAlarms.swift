internal import EventBus

/// The time limits of starting and stopping services.
///
/// One task sleeps until the earliest of them.
///
/// ## Thread safety
///
/// Every member may be called from any thread. The clock is read, and closures are called and released,
/// outside the lock.
final class ServiceAlarms: Sendable {
  /// The subject of a time limit; a new alarm replaces the previous one of its subject.
  enum Key: Hashable, Sendable {
    /// A single service.
    case service(Int)
    /// All services together.
    case all
    /// The next message that names what a start or stop is waiting for.
    case waitReport
  }

  private struct Alarm: Sendable {
    let end: Duration
    let rank: ServiceMachine<ServiceHandle>.Limit
    let body: @Sendable () -> Void
  }

  private enum Sleeper: Sendable {
    case none
    case sleeping(until: Duration)
    case calling
  }

  private struct State: Sendable {
    var alarms: [Key: Alarm] = [:]
    var sleeper = Sleeper.none
    var task: Task<Void, Never>?
    /// The number of the current task; earlier tasks have lower numbers.
    var number = 0
    var isClosed = false

    var earliest: Duration? { alarms.values.lazy.map(\.end).min() }

    /// Detaches the current task and returns it for cancellation.
    mutating func retire() -> Task<Void, Never>? {
      number += 1
      sleeper = .none
      return task.take()
    }
  }

  private let stopwatch: Stopwatch
  private let state = Locked(State())

  /// Creates an empty set of alarms.
  ///
  /// - Parameter clock: The clock that measures the limits.
  init(_ clock: any Clock<Duration>) { stopwatch = Stopwatch(clock) }

  /// The time since creation.
  var elapsed: Duration { stopwatch.elapsed() }

  /// Calls a closure when a time limit expires.
  ///
  /// - Parameters:
  ///   - key: The subject of the limit. An existing alarm is replaced unless its rank is higher, because two
  ///     threads may set successive limits in either order.
  ///   - rank: The kind of limit.
  ///   - duration: The time from now.
  ///   - body: Called once, unless the alarm is replaced or removed before.
  func set(
    _ key: Key,
    _ rank: ServiceMachine<ServiceHandle>.Limit,
    after duration: Duration,
    _ body: @escaping @Sendable () -> Void
  ) {
    let alarm = Alarm(end: elapsed + duration, rank: rank, body: body)
    let (number, former, retired) = state.withLock { state -> (Int?, Alarm?, Task<Void, Never>?) in
      let former = state.alarms[key]
      if state.isClosed || former.map({ $0.rank > rank }) ?? false { return (nil, alarm, nil) }
      state.alarms[key] = alarm
      switch state.sleeper {
      case .calling: return (nil, former, nil)
      case .sleeping(let end) where end <= alarm.end: return (nil, former, nil)
      case .none, .sleeping:
        let retired = state.retire()
        state.sleeper = .sleeping(until: alarm.end)
        return (state.number, former, retired)
      }
    }
    retired?.cancel()
    withExtendedLifetime(former) {}
    guard let number else { return }
    let task = Task { await sleep(number) }
    let isLate = state.withLock { state in
      if state.number != number { return true }
      state.task = task
      return false
    }
    if isLate { task.cancel() }
  }

  /// Removes an alarm unless its rank exceeds the given limit.
  func remove(_ key: Key, upTo limit: ServiceMachine<ServiceHandle>.Limit) {
    let (alarm, retired) = state.withLock { state -> (Alarm?, Task<Void, Never>?) in
      if let alarm = state.alarms[key], alarm.rank > limit { return (nil, nil) }
      let alarm = state.alarms.removeValue(forKey: key)
      return (alarm, state.alarms.isEmpty ? state.retire() : nil)
    }
    retired?.cancel()
    withExtendedLifetime(alarm) {}
  }

  /// Removes all alarms and rejects later ones.
  func close() {
    let (alarms, retired) = state.withLock { state in
      defer { state.alarms = [:] }
      state.isClosed = true
      return (state.alarms, state.retire())
    }
    retired?.cancel()
    withExtendedLifetime(alarms) {}
  }

  private func sleep(_ number: Int) async {
    while let end = next(number) {
      do { try await stopwatch.sleep(end) } catch { return }
      for alarm in takeDue(number, now: elapsed) { alarm.body() }
    }
  }

  private func next(_ number: Int) -> Duration? {
    state.withLock { state in
      guard state.number == number else { return nil }
      guard let end = state.earliest else {
        state.sleeper = .none
        return nil
      }
      state.sleeper = .sleeping(until: end)
      return end
    }
  }

  private func takeDue(_ number: Int, now: Duration) -> [Alarm] {
    state.withLock { state in
      guard state.number == number else { return [] }
      state.sleeper = .calling
      let due = state.alarms.filter { $0.value.end <= now }
      for key in due.keys { state.alarms[key] = nil }
      return due.values.sorted { $0.end < $1.end }
    }
  }
}
