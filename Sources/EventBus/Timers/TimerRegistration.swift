internal import Synchronization

/// A timer: its registration, its schedule and its handler.
///
/// The lock of the queue guards the state of the timer, which only ``TimerTable`` reads and changes.
package final class TimerRegistration: Registration,
  @unchecked Sendable  // Reason: constants, an atomic, and state that the queue's lock guards.
{
  /// The handler of a timer.
  ///
  /// Between ticks the timer has the only reference to the closure, so its end frees the captures; during a
  /// tick, the end of the tick does.
  ///
  /// Unlike a bare closure, it passes through generic code without a wrapper, which would be allocated and
  /// called for each tick.
  package enum Handler: Sendable {
    /// Calls a handler without an owner.
    case plain(@isolated(any) @Sendable (Tick) async -> Void)
    /// Calls a handler with its owner; returns `false`, without a call, if that has been deallocated.
    case owned(@Sendable (Tick) async -> Bool)
  }

  enum Phase: Sendable {
    /// Not yet in a table, or removed from it for good.
    case absent
    /// In the heap.
    case waiting
    /// Due, and waiting for its executor.
    case queued
    /// Inside its handler.
    case running
    /// Not in the heap because of a pause.
    case suspended
  }

  // What a tick uses comes first: ten thousand timers do not fit into the caches.
  private let queue: TimerQueue?
  /// True if the timer has only one tick, with which it ends.
  private let isSingle: Bool
  /// The task that calls the handler, or 0.
  private let runner = Atomic<Int>(0)

  /// The activity that represents the next tick, for a clock that waits for its timers.
  ///
  /// Not guarded by the lock: used only by the code that has taken the due timer from the table.
  var unit: TimerActivity.Unit?

  // State of the table.
  var phase = Phase.absent
  /// The position in the table, or −1.
  var slot = -1
  /// The handler, or `nil` once the timer has ended.
  var handler: Handler?
  var schedule: TimerSchedule
  /// The registration number.
  package internal(set) var order: UInt64 = 0

  /// The identity of the actor on which the handler runs.
  let actorID: ObjectIdentifier?
  private let weakActor: WeakActor?

  /// Creates a timer that is in no table yet.
  package init(
    _ schedule: TimerSchedule,
    on actor: (any Actor)? = nil,
    _ handler: Handler,
    in queue: TimerQueue? = nil
  ) {
    self.schedule = schedule
    self.handler = handler
    weakActor = actor.map { WeakActor($0) }
    actorID = weakActor?.id
    self.queue = queue
    isSingle = !schedule.repeats
  }

  /// The actor on which the handler runs; `nil` for the global concurrent executor, or if the actor has been
  /// deallocated and the timer has no owner any more.
  var actor: (any Actor)? { weakActor?.actor }

  override var isOwnCall: Bool {
    let runner = runner.load(ordering: .acquiring)
    return runner != 0 && runner == currentTaskID()
  }

  override func didEnd() {
    // The only tick has taken the handler before it sets the runner.
    if !isSingle || runner.load(ordering: .acquiring) == 0 { queue?.end(self) }
  }

  override func didChangePauses() { queue?.pausesChanged(self) }

  /// Runs a tick that is due.
  ///
  /// - Parameter task: The task that makes the call.
  func run(in task: Int) async {
    let unit = unit.take()
    if beginCall() {
      // A separate frame for the call releases the handler before the tick counts as finished.
      let isOwned =
        if unit == nil {
          await tick(in: task)
        } else {
          await TimerActivity.perform(as: unit) { await tick(in: task) }
        }
      if isOwned == false { end() }
      if isOwned != nil {
        // Before the next tick, which may be due, can begin in another task.
        runner.store(0, ordering: .releasing)
        if !isSingle { queue?.finish(self) }
      }
      finish()
    }
    unit?.end()
  }

  /// Calls the handler.
  ///
  /// - Returns: `false` if the owner has been deallocated, `nil` if the timer has ended or is paused.
  private func tick(in task: Int) async -> Bool? {
    guard let call = queue?.begin(self) else { return nil }
    runner.store(task, ordering: .releasing)
    if isSingle { end() }
    let lateness = Duration(attoseconds: call.tick.lateness)
    let tick = Tick(call.tick.index, missed: call.tick.missed, lateness: lateness)
    switch call.handler {
    case .plain(let body):
      await body(tick)
      return true
    case .owned(let body): return await body(tick)
    }
  }
}
