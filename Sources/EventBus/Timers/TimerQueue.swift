/// The timers of one clock, and the one task that sleeps for all of them.
///
/// ```
/// token ──► queue ──► clock
///             ├─────► records of its timers ──► handlers ┄┄► owners (weak)
///             ▲
///             └────── sleeper: a task, while a timer waits
/// ```
///
/// The arithmetic and the comparisons of the clock's instants are the only code of others that runs under
/// the lock. The clock is asked for the time, and sleeps, outside.
final class TimerQueue<C: Clock>: TimerSource {
  private struct Sleeper {
    let number: UInt
    /// When it wakes up.
    var instant: C.Instant
    var task: Task<Void, Never>?
  }

  private struct State {
    var table = TimerTable<C.Instant>()
    var sleeper: Sleeper?
    var lastNumber: UInt = 0
  }

  /// What is to be done about the sleeper, outside the lock.
  private struct Errand {
    var obsolete: Task<Void, Never>?
    var number: UInt?
  }

  /// The clock.
  let clock: C
  private let activity: TimerActivity?
  private let whenEmpty: (@Sendable (TimerQueue) -> Void)?
  private let state = Locked(State())

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - whenEmpty: Told, under no lock, when there are no more timers.
  init(_ clock: C, whenEmpty: (@Sendable (TimerQueue) -> Void)? = nil) {
    self.clock = clock
    self.whenEmpty = whenEmpty
    activity = (clock as? any TimerWatching)?.activity
  }

  /// Whether there are no timers.
  var isEmpty: Bool { state.withLock { $0.table.count == 0 } }

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - interval: From now to the first tick, and from each to the next.
  ///   - tolerance: How much later than its deadline a tick may be.
  ///   - policy: What to do about deadlines that passed; `nil` for a timer with one tick.
  ///   - body: The handler.
  /// - Returns: What the timer is known by.
  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  func add(
    every interval: C.Duration,
    tolerance: C.Duration,
    missed policy: MissedTicks?,
    body: any TimerBody
  ) -> UInt {
    let schedule = TimerSchedule(from: clock.now, every: interval, missed: policy ?? .skip)
    let (key, errand) = state.withLock { state in
      let key = state.table.add(
        schedule,
        tolerance: tolerance,
        repeats: policy != nil,
        body: body
      )
      return (key, Self.settle(&state))
    }
    run(errand)
    return key
  }

  /// Ends a timer with the lifetime of its owner, at once if that has ended.
  func join(_ key: UInt, _ members: EndingMembers, as target: KeyedTarget) {
    guard let ticket = members.join(target) else { return endByItself(key) }
    if !state.withLock({ $0.table.setTicket(key, members, ticket) }) { members.leave(ticket) }
  }

  /// Ends a timer without its token, which is told.
  func endByItself(_ key: UInt) {
    finish(end(timer: key))
  }

  func end(_ key: UInt) { end(timer: key)?.leave() }

  func isActive(_ key: UInt) -> Bool {
    let (isActive, members) = state.withLock { state in
      (state.table.isActive(key), state.table.members(of: key))
    }
    // A lifetime ends its members one after the other, and calls hooks in between.
    return isActive && members?.hasEnded != true
  }

  func watch(_ key: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    return state.withLock { $0.table.watch(key, by: watcher) }
  }

  func changePauses(_ key: UInt, by change: Int) {
    let now = clock.now
    let errand = state.withLock { state in
      state.table.changePauses(key, by: change, at: now)
      return Self.settle(&state)
    }
    run(errand)
  }

  func waitUntilFinished(_ key: UInt) async {
    let task = TaskIdentity.current
    let idle = state.withLock { $0.table.idle(key, askedBy: task) }
    await idle?.wait()
  }

  func run(_ key: UInt, by runner: Int, _ unit: TimerActivity.Unit?) async {
    // The handler is let go before the tick counts as finished: the call has a frame of its own.
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
    finish(start.remains)
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
    var (finish, errand, isEmpty) = state.withLock { state in
      let finish = state.table.finish(key, at: now, isOwned: isOwned)
      let errand = finish.waits ? Self.settle(&state) : Errand()
      return (finish, errand, state.table.count == 0)
    }
    run(errand)
    self.finish(finish.remains)
    // The handler is let go before anybody can call it.
    let groups = finish.next.take().map { body in
      var groups = TickGroups()
      add(key, body, to: &groups)
      return groups
    }
    groups?.send(to: .shared)
    finish.idle?.open()
    if isEmpty { whenEmpty?(self) }
  }

  private func finish(_ remains: TimerRemains?) {
    remains?.leave()
    remains?.watcher?.object?.cancel()
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  private func end(timer key: UInt) -> TimerRemains? {
    let (remains, errand, isEmpty) = state.withLock { state in
      let remains = state.table.end(key)
      // What is gone needs nobody to wake up earlier.
      let errand = state.table.isWaiting ? Errand() : Self.settle(&state)
      return (remains, errand, state.table.count == 0)
    }
    run(errand)
    if isEmpty { whenEmpty?(self) }
    return remains
  }

  /// Adds a tick that is due to those of its lane.
  ///
  /// The groups do not keep the handler: code that waits for the end of a tick finds it released.
  private func add(_ key: UInt, _ body: any TimerBody, to groups: inout TickGroups) {
    let actor: (any Actor)?
    switch body.place {
    case .anywhere: actor = nil
    case .on(let home): actor = home
    case .lost: return endByItself(key)
    }
    groups.append(DueTick(source: self, key: key, unit: activity?.begin()), on: actor)
  }
}

// The sleeper.
extension TimerQueue {
  /// Decides whether the sleeper will do: whether it wakes up in time, or is needed at all.
  private static func settle(_ state: inout State) -> Errand {
    guard let latest = state.table.latest else {
      defer { state.sleeper = nil }
      return Errand(obsolete: state.sleeper?.task)
    }
    if let sleeper = state.sleeper, sleeper.instant <= latest { return Errand() }
    guard let instant = state.table.wakeUp?.instant else { return Errand() }
    defer {
      state.lastNumber += 1
      state.sleeper = Sleeper(number: state.lastNumber, instant: instant)
    }
    return Errand(obsolete: state.sleeper?.task, number: state.lastNumber + 1)
  }

  private func run(_ errand: Errand) {
    errand.obsolete?.cancel()
    guard let number = errand.number else { return }
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
        if !Task.isCancelled { refused(number, error) }
        return
      }
      // In two steps: the handlers are let go before anybody can call them.
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

  /// Takes what is due, by deadline and, among equals, by registration.
  ///
  /// The lock is held for one batch at a time, and the order is made outside it.
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

  /// An instant that is not so far away that the standard clocks trap when they are asked to sleep.
  ///
  /// The sleeper looks again then.
  private func limited(_ instant: C.Instant) -> C.Instant {
    guard let limit = Duration.seconds(1 << 31) as? C.Duration else { return instant }
    return min(instant, clock.now.advanced(by: limit))
  }

  /// Nobody sleeps any more; the next timer of the clock tries again.
  private func refused(_ number: UInt, _ error: any Error) {
    state.withLock { state in
      if state.sleeper?.number == number { state.sleeper = nil }
    }
    StandardError.print(
      "EventBus: \(C.self) would not sleep (\(error)), so its timers stand still."
    )
  }
}
