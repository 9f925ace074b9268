/// The timers of one clock, with the task that sleeps for all of them.
///
/// ```
/// token ──► queue ──► clock
///             ├─────► records of its timers ──► handlers ┄┄► owners (weak)
///             ▲
///             └────── sleeper: a task, while a timer waits
/// ```
///
/// The arithmetic and the comparisons of the clock's instants are the only foreign code that runs under the
/// lock. Calls of the clock's `now` and `sleep` happen outside.
final class TimerQueue<C: Clock>: TimerSource {
  private struct Sleeper {
    let number: UInt
    /// The instant of the next wake-up.
    var instant: C.Instant
    var task: Task<Void, Never>?
  }

  private struct State {
    var table = TimerTable<C.Instant>()
    var sleeper: Sleeper?
    var lastNumber: UInt = 0
  }

  /// A change of the sleeping task, applied outside the lock.
  private struct SleeperChange {
    var obsolete: Task<Void, Never>?
    var number: UInt?
  }

  let clock: C
  private let activity: TimerActivity?
  private let whenEmpty: (@Sendable (TimerQueue) -> Void)?
  private let state = Locked(State())

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - whenEmpty: Called, under no lock, after the last timer has ended.
  init(_ clock: C, whenEmpty: (@Sendable (TimerQueue) -> Void)? = nil) {
    self.clock = clock
    self.whenEmpty = whenEmpty
    activity = (clock as? any TimerWatching)?.activity
  }

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - interval: The time from now to the first tick, and from each deadline to the next.
  ///   - tolerance: The maximum delay of a tick after its deadline.
  ///   - policy: The policy for missed deadlines, or `nil` for a timer with one tick.
  ///   - body: The handler.
  /// - Returns: The key of the timer.
  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  func add(
    every interval: C.Duration,
    tolerance: C.Duration,
    missed policy: MissedTicks?,
    body: any TimerBody
  ) -> UInt {
    let schedule = TimerSchedule(from: clock.now, every: interval, missed: policy ?? .skip)
    let (key, change) = state.withLock { state in
      let key = state.table.add(
        schedule,
        tolerance: tolerance,
        repeats: policy != nil,
        body: body
      )
      return (key, Self.updateSleeper(&state))
    }
    apply(change)
    return key
  }

  /// Attaches a timer to the lifetime of its owner; ends the timer at once if the lifetime has ended.
  func join(_ key: UInt, _ members: EndingMembers, as target: KeyedTarget) {
    guard let ticket = members.join(target) else { return endByItself(key) }
    if !state.withLock({ $0.table.setTicket(key, members, ticket) }) { members.leave(ticket) }
  }

  func endByItself(_ key: UInt) { finish(end(timer: key)) }

  func end(_ key: UInt) { end(timer: key)?.leave() }

  func isActive(_ key: UInt) -> Bool {
    let (isActive, members) = state.withLock { state in
      (state.table.isActive(key), state.table.members(of: key))
    }
    // A lifetime ends its members one after another, and runs hooks in between.
    return isActive && members?.hasEnded != true
  }

  func watch(_ key: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    return state.withLock { $0.table.watch(key, by: watcher) }
  }

  func changePauses(_ key: UInt, by change: Int) {
    let now = clock.now
    let sleeperChange = state.withLock { state in
      state.table.changePauses(key, by: change, at: now)
      return Self.updateSleeper(&state)
    }
    apply(sleeperChange)
  }

  func waitUntilFinished(_ key: UInt) async {
    let task = currentTaskID()
    let idle = state.withLock { $0.table.idle(key, askedBy: task) }
    await idle?.wait()
  }

  func run(_ key: UInt, by runner: Int, _ unit: TimerActivity.Unit?) async {
    // A frame of its own for the call releases the handler before the tick counts as finished.
    let isOwned: Bool?
    if let unit {
      isOwned = await unit.perform { await call(key, by: runner) }
    } else {
      isOwned = await call(key, by: runner)
    }
    if let isOwned { finish(key, isOwned: isOwned) }
    unit?.end()
  }

  private func call(_ key: UInt, by runner: Int) async -> Bool? {
    guard let start = begin(key, by: runner) else { return nil }
    finish(start.leftovers)
    return await start.body.call(start.tick)
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  private func begin(_ key: UInt, by runner: Int) -> TimerStart? {
    let now = clock.now
    return state.withLock { $0.table.begin(key, at: now, by: runner) }
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  private func finish(_ key: UInt, isOwned: Bool) {
    let now = clock.now
    var (finish, change, isEmpty) = state.withLock { state in
      let finish = state.table.finish(key, at: now, isOwned: isOwned)
      let change = finish.waits ? Self.updateSleeper(&state) : SleeperChange()
      return (finish, change, state.table.count == 0)
    }
    apply(change)
    self.finish(finish.leftovers)
    // Releases the handler before another thread can call it.
    let groups = finish.next.take().map { body in
      var groups = TickGroups()
      add(key, body, to: &groups)
      return groups
    }
    groups?.send(to: .shared)
    finish.idle?.open()
    if isEmpty { whenEmpty?(self) }
  }

  private func finish(_ leftovers: TimerLeftovers?) {
    leftovers?.leave()
    leftovers?.watcher?.object?.cancel()
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  private func end(timer key: UInt) -> TimerLeftovers? {
    let (leftovers, change, isEmpty) = state.withLock { state in
      let leftovers = state.table.end(key)
      // Removing a timer never requires an earlier wake-up.
      let change = state.table.isWaiting ? SleeperChange() : Self.updateSleeper(&state)
      return (leftovers, change, state.table.count == 0)
    }
    apply(change)
    if isEmpty { whenEmpty?(self) }
    return leftovers
  }

  /// Adds a due tick to the group of its lane.
  ///
  /// The groups do not keep the handler, which is released when the wait for the end of a tick returns.
  private func add(_ key: UInt, _ body: any TimerBody, to groups: inout TickGroups) {
    guard case .on(let actor) = body.place else { return endByItself(key) }
    groups.append(DueTick(source: self, key: key, unit: activity?.begin()), on: actor)
  }
}

// The sleeper.
extension TimerQueue {
  /// Replaces a sleeper that would wake up too late, and removes one that is not needed.
  private static func updateSleeper(_ state: inout State) -> SleeperChange {
    guard let latest = state.table.latest else {
      defer { state.sleeper = nil }
      return SleeperChange(obsolete: state.sleeper?.task)
    }
    if let sleeper = state.sleeper, sleeper.instant <= latest { return SleeperChange() }
    guard let instant = state.table.wakeUp?.instant else { return SleeperChange() }
    defer {
      state.lastNumber += 1
      state.sleeper = Sleeper(number: state.lastNumber, instant: instant)
    }
    return SleeperChange(obsolete: state.sleeper?.task, number: state.lastNumber + 1)
  }

  private func apply(_ change: SleeperChange) {
    change.obsolete?.cancel()
    guard let number = change.number else { return }
    let unit = activity?.begin()
    let task = Task.detached {
      if let unit {
        await unit.perform { await self.sleep(number) }
        unit.end()
      } else {
        await self.sleep(number)
      }
    }
    let isNeeded = state.withLock { state in
      guard state.sleeper?.number == number else { return false }
      state.sleeper?.task = task
      return true
    }
    if !isNeeded { task.cancel() }
  }

  private func sleep(_ number: UInt) async {
    while let wakeUp = wakeUp(number) {
      let tolerance = wakeUp.instant.duration(to: wakeUp.latest)
      do {
        try await clock.sleep(
          until: limited(wakeUp.instant),
          tolerance: tolerance > .zero ? tolerance : nil
        )
      } catch {
        if !Task.isCancelled { reportFailure(number, error) }
        return
      }
      // Two steps release the handlers before other threads can call them.
      let groups = groupDue(number)
      groups.send(to: .shared)
    }
  }

  private func wakeUp(_ number: UInt) -> (instant: C.Instant, latest: C.Instant)? {
    state.withLock { state in
      guard state.sleeper?.number == number else { return nil }
      guard let wakeUp = state.table.wakeUp else {
        state.sleeper = nil
        return nil
      }
      state.sleeper?.instant = wakeUp.instant
      return wakeUp
    }
  }

  /// Removes due timers, grouped by lane and ordered by deadline and registration.
  ///
  /// Holds the lock for one batch at a time, and sorts outside the lock.
  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  private func groupDue(_ number: UInt) -> TickGroups {
    let now = clock.now
    var due: [TimerDue<C.Instant>] = []
    var isMore = true
    while isMore {
      let batch = state.withLock { state in
        state.sleeper?.number == number ? state.table.takeDue(at: now) : []
      }
      isMore = batch.count == TimerTable<C.Instant>.batch
      due += batch
    }
    due.sortByDeadline()
    var groups = TickGroups()
    for timer in due { add(timer.key, timer.body, to: &groups) }
    return groups
  }

  /// Returns an instant close enough for the standard clocks, which trap on sleeps that are too long.
  ///
  /// The sleeper checks again at that instant.
  private func limited(_ instant: C.Instant) -> C.Instant {
    guard let limit = Duration.seconds(1 << 31) as? C.Duration else { return instant }
    return min(instant, clock.now.advanced(by: limit))
  }

  /// Removes the sleeper after its clock threw an error; the next timer of the clock starts another one.
  private func reportFailure(_ number: UInt, _ error: any Error) {
    state.withLock { state in
      if state.sleeper?.number == number { state.sleeper = nil }
    }
    printError(
      "EventBus: \(C.self) failed to sleep (\(error)), so its timers have stopped."
    )
  }
}
