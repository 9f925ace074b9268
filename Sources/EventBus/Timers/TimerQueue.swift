internal import Synchronization

/// The timers of one clock, with the task that sleeps for all of them.
///
/// ```
/// token ──► registration ──► queue ──► clock
///                 ▲            ├─────► records of its timers ──► handlers ┄┄► owners (weak)
///                 └────────────│───────┘
///                              ▲
///                              └────── sleeper: a task, while a timer waits
/// ```
///
/// The arithmetic and the comparisons of the clock's instants are the only foreign code that runs under the
/// lock. Calls of the clock's `now` and `sleep` happen outside.
final class TimerQueue<C: Clock>: Sendable {
  let clock: C
  private let activity: TimerActivity?
  private let whenEmpty: (@Sendable (TimerQueue) -> Void)?
  private let table = Locked(TimerTable<C.Instant>())

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
  /// - Returns: The registration of the timer.
  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  func add(
    every interval: C.Duration,
    tolerance: C.Duration,
    missed policy: MissedTicks?,
    body: any TimerBody
  ) -> TimerRegistration {
    let now = clock.now
    let schedule = TimerSchedule(from: now, every: interval, tolerance: tolerance, missed: policy)
    let registration = QueuedTimer(self, isSingle: policy == nil)
    change { $0.add(schedule, body, for: registration) }
    return registration
  }

  fileprivate func pausesChanged(_ timer: TimerRegistration) {
    let now = clock.now
    change { $0.setPaused(timer.key, timer.isPaused, at: now) }
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  fileprivate func begin(_ key: UInt) -> (body: any TimerBody, tick: Tick)? {
    let now = clock.now
    return table.withLock { $0.begin(key, at: now) }
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  fileprivate func finish(_ timer: TimerRegistration) {
    let now = clock.now
    var body = change { $0.finish(timer.key, at: now) }
    // Releases the handler before another thread can call it.
    let next = body.take().map { dueTick(timer, $0) }
    if let next { TickLanes.shared.add([next]) }
  }

  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  fileprivate func end(_ key: UInt) {
    let body = change { $0.end(key) }
    withExtendedLifetime(body) {}
  }

  /// Changes the table and adjusts the sleeper to the change.
  private func change<Result: Sendable>(
    _ body: (inout TimerTable<C.Instant>) -> Result
  ) -> Result {
    let (result, sleeper, isEmpty) = table.withLock { table in
      (body(&table), table.updateSleeper(), table.count == 0)
    }
    apply(sleeper)
    if isEmpty { whenEmpty?(self) }
    return result
  }

  /// Returns a tick for the lane of its actor.
  ///
  /// The tick does not keep the handler, which is released when the wait for the end of a tick returns.
  private func dueTick(_ timer: TimerRegistration, _ body: any TimerBody) -> DueTick {
    DueTick(actor: body.actor, timer: timer, unit: activity?.begin())
  }
}

// The sleeper.
extension TimerQueue {
  private func apply(_ change: TimerTable<C.Instant>.SleeperChange) {
    change.obsolete?.cancel()
    guard let number = change.number else { return }
    let unit = activity?.begin()
    let task = Task.detached {
      await TimerActivity.perform(as: unit) { await self.sleep(number) }
      unit?.end()
    }
    if !table.withLock({ $0.setTask(task, ofSleeper: number) }) { task.cancel() }
  }

  private func sleep(_ number: UInt) async {
    while let wakeUp = table.withLock({ $0.nextWakeUp(ofSleeper: number) }) {
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
      let ticks = takeDue(number)
      TickLanes.shared.add(ticks)
    }
  }

  /// Removes due timers, ordered by deadline and registration.
  ///
  /// Holds the lock for one batch at a time, and sorts outside the lock.
  @specialized(where C == ContinuousClock)
  @specialized(where C == SuspendingClock)
  private func takeDue(_ number: UInt) -> [DueTick] {
    let now = clock.now
    var due: [TimerTable<C.Instant>.Due] = []
    var isMore = true
    while isMore {
      let batch = table.withLock { table in
        table.isCurrent(sleeper: number) ? table.takeDue(at: now) : []
      }
      isMore = batch.count == TimerTable<C.Instant>.batch
      due += batch
    }
    TimerTable.sort(&due)
    return due.map { dueTick($0.registration, $0.body) }
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
    table.withLock { $0.removeSleeper(number) }
    printError(
      "EventBus: \(C.self) failed to sleep (\(error)), so its timers have stopped."
    )
  }
}

/// The registration of a timer.
package class TimerRegistration: Registration, @unchecked Sendable {  // Reason: atomic; see below.
  /// The key of the timer in its table.
  ///
  /// Set once, under the lock of the table, before the timer can end or be due.
  package final var key: UInt = 0
  /// The task that calls the handler, or 0.
  fileprivate final let runner = Atomic<Int>(0)

  /// Creates a registration.
  package override init() {}

  override package final var isOwnCall: Bool {
    runner.load(ordering: .acquiring) == currentTaskID()
  }

  /// Runs a tick that is due.
  ///
  /// - Parameters:
  ///   - task: The task that makes the call.
  ///   - unit: The activity that represents the tick, for a clock that waits for its timers.
  package func run(in task: Int, _ unit: TimerActivity.Unit?) async {}
}

/// The registration of a timer in a queue.
private final class QueuedTimer<C: Clock>: TimerRegistration,
  @unchecked Sendable  // Reason: constants.
{
  private let queue: TimerQueue<C>
  /// A Boolean value that indicates whether the timer has only one tick.
  private let isSingle: Bool

  init(_ queue: TimerQueue<C>, isSingle: Bool) {
    self.queue = queue
    self.isSingle = isSingle
  }

  override func didEnd() { queue.end(key) }

  override func didChangePauses() { queue.pausesChanged(self) }

  override func run(in task: Int, _ unit: TimerActivity.Unit?) async {
    if beginCall() {
      runner.store(task, ordering: .releasing)
      // A frame of its own for the call releases the handler before the tick counts as finished.
      let isOwned =
        if unit == nil {
          await call()
        } else {
          await TimerActivity.perform(as: unit) { await call() }
        }
      if isOwned == false { endByItself() }
      // Before the next tick, which may be due, can begin in another task.
      runner.store(0, ordering: .releasing)
      if isOwned != nil { queue.finish(self) }
      finish()
    }
    unit?.end()
  }

  /// Calls the handler.
  ///
  /// - Returns: `false` if the owner has been deallocated, `nil` if the timer has ended or is paused.
  private func call() async -> Bool? {
    guard let (body, tick) = queue.begin(key) else { return nil }
    if isSingle { endByItself() }
    return await body.call(tick)
  }
}

// The shared queues: one for each standard clock, and one for each clock that is an object.
private let continuousQueue = TimerQueue(ContinuousClock())
private let suspendingQueue = TimerQueue(SuspendingClock())
/// The queues of clocks that are objects, while they have timers and so keep their clocks alive.
private let objectQueues = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

extension TimerQueue {
  /// Returns the queue for a new timer of a clock.
  ///
  /// A clock that is neither a standard clock nor an object is a value without an identity; each of its
  /// timers has a queue of its own. While another thread ends the last timer of the clock, a new timer may
  /// get a different queue than later timers. Only the sleeping task differs.
  static func queue(of clock: C) -> TimerQueue {
    if let queue = continuousQueue as? TimerQueue { return queue }
    if let queue = suspendingQueue as? TimerQueue { return queue }
    guard C.self is AnyObject.Type else { return TimerQueue(clock) }
    let identity = ObjectIdentifier(clock as AnyObject)
    let made = TimerQueue(clock) { queue in
      let removed = objectQueues.withLock { queues in
        queues[identity] === queue ? queues.removeValue(forKey: identity) : nil
      }
      withExtendedLifetime(removed) {}
    }
    let known = objectQueues.withLock { queues in
      let known = queues[identity] ?? made
      queues[identity] = known
      return known
    }
    return known as? TimerQueue ?? made
  }
}
