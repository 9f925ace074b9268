/// The queues of due timers, one lane for each actor and one for all nonisolated handlers.
///
/// One task calls the handlers of a lane one after another, however many timers are due. It ends its turn of
/// the lane when it takes its first timer, so that a *successor* is scheduled if others wait. While handlers
/// do not suspend, the actor is busy, and the successor later finds nothing to do. When a handler suspends,
/// the actor becomes free: the successor starts, continues with the next timer and has its own successor. A
/// handler that suspends therefore delays no other timer, and an extra task runs only where a handler
/// suspended. The nonisolated lane works the same way; its successor runs on another thread as soon as one
/// is free.
///
/// The lane of an actor exists while a task is scheduled for it that has not started. That task keeps the
/// actor alive.
final class TickLanes: Sendable {
  /// The lane of each actor, and that of the nonisolated handlers.
  private struct Lanes {
    private var nonisolated = Lane<TimerRegistration>()
    private var isolated: [ObjectIdentifier: Lane<TimerRegistration>] = [:]

    /// Changes the lane of an actor; `nil` stands for the nonisolated one.
    mutating func change<Result>(
      _ actor: ObjectIdentifier?,
      _ body: (inout Lane<TimerRegistration>) -> Result
    ) -> Result {
      guard let actor else { return body(&nonisolated) }
      guard let index = isolated.index(forKey: actor) else {
        var lane = Lane<TimerRegistration>()
        defer { if lane.isScheduled { isolated[actor] = lane } }
        return body(&lane)
      }
      defer { if !isolated.values[index].isScheduled { isolated.remove(at: index) } }
      return body(&isolated.values[index])
    }
  }

  /// The maximum number of ticks that are added under one lock, and that one task calls.
  private static let run = 64

  static let shared = TickLanes()

  private let lanes = Locked(Lanes())

  private init() {}

  /// Adds timers that are due at the ends of the lanes of their actors.
  func add(_ due: consuming [TimerTable.Due]) {
    // Taken from the end, which moves them: a retain and a release would fetch each timer into the cache.
    due.reverse()
    while let first = due.last?.timer {
      let (id, actor) = (first.actorID, first.actor)
      // An actor that is gone: the others may belong to a new one at its address.
      let isAlone = actor == nil && id != nil
      var mustSchedule = false
      repeat {
        let mustBegin = change(actor) { lane in
          for _ in 0..<Self.run {
            guard let next = due.popLast() else { break }
            _ = lane.waiting.append(next.timer)
            if isAlone || due.last?.timer.actorID != id { break }
          }
          return lane.requestTurn()
        }
        mustSchedule = mustSchedule || mustBegin
      } while !isAlone && due.last.map { $0.timer.actorID == id } ?? false
      // A task that starts before the last timer is added would wait for the lock.
      if mustSchedule { schedule(on: actor) }
    }
  }

  private func schedule(on actor: (any Actor)?) {
    if actor === MainActor.shared {
      Task.detached(operation: workOnMain)
    } else {
      Task.detached { await self.work(on: actor) }
    }
  }

  @MainActor private func workOnMain() async { await work(on: MainActor.shared) }

  private func work(on actor: isolated (any Actor)?) async {
    let task = currentTaskID()
    var (next, remaining) = begin(on: actor)
    while let timer = next {
      await timer.run(in: task)
      // Timers that fall due meanwhile wait for another turn of the actor, which runs other work in between.
      remaining -= 1
      // A handler that cancelled its own task has cancelled this one: the successor continues.
      if Task.isCancelled || remaining == 0 { return }
      next = change(actor) { $0.waiting.popFirst() }
    }
  }

  /// Takes the first timer for a task that has started, and schedules a successor for the other ones.
  ///
  /// - Parameter actor: The actor of the lane.
  /// - Returns: The timer, if any remains, and the number of timers that the task may call.
  private func begin(on actor: (any Actor)?) -> (timer: TimerRegistration?, available: Int) {
    let (timer, available, isMore) = change(actor) { lane in
      let available = min(lane.waiting.count, Self.run)
      return (lane.waiting.popFirst(), available, lane.endTurn())
    }
    if isMore { schedule(on: actor) }
    return (timer, available)
  }

  private func change<Result: Sendable>(
    _ actor: (any Actor)?,
    _ body: (inout Lane<TimerRegistration>) -> Result
  ) -> Result {
    let id = actor.map { ObjectIdentifier($0) }
    return lanes.withLock { $0.change(id, body) }
  }
}
