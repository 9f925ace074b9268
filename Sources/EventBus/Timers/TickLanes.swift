/// A table of timers that can run ticks.
protocol TimerSource: KeyedRegistrations {
  /// Runs a tick that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - runner: The task that makes the call.
  ///   - unit: The activity that represents the tick, for a clock that waits for its timers.
  func run(_ key: UInt, by runner: Int, _ unit: TimerActivity.Unit?) async
}

/// A tick that is due and waits for its executor.
struct DueTick: Sendable {
  let source: any TimerSource
  let key: UInt
  let unit: TimerActivity.Unit?
}

/// The queues of due ticks, one lane for each actor and one for all nonisolated handlers.
///
/// One task calls the handlers of a lane one after another, however many ticks are due. Before it calls the
/// first of several it schedules a *successor*. While handlers do not suspend, the actor is busy, and the
/// successor later finds nothing to do. When a handler suspends, the actor becomes free: the successor
/// starts, continues with the next tick and schedules a successor of its own. A handler that suspends
/// therefore delays no other tick, and an extra task runs only where a handler suspended. The nonisolated
/// lane works the same way; its successor runs on another thread as soon as one is free.
///
/// A lane keeps its actor alive only while ticks are due there.
final class TickLanes: Sendable {
  private struct Lane {
    let actor: (any Actor)?
    /// The next ticks, in reverse order.
    var front: [DueTick] = []
    var chunks = BoundedQueue<[DueTick]>()
    /// A task was scheduled for the lane and has not started.
    var isScheduled = false

    var isEmpty: Bool { front.isEmpty && chunks.isEmpty }
    var count: Int { front.count + (chunks.first?.count ?? 0) }

    mutating func popFirst() -> DueTick? {
      if front.isEmpty { front = chunks.popFirst() ?? [] }
      return front.popLast()
    }
  }

  /// The next tick of a lane, with the consequences of taking it.
  private struct Turn {
    var tick: DueTick?
    /// The task must schedule a successor for the remaining ticks.
    var needsSuccessor = false
    /// The lane, if it was removed; released outside the lock.
    var closed: Lane?
    /// The number of ticks in the lane including this one, up to a chunk.
    var available = 1
  }

  private static let chunk = 64

  static let shared = TickLanes()

  private let lanes = Locked<[ObjectIdentifier?: Lane]>([:])

  private init() {}

  /// Adds ticks at the end of an actor's lane, or of the nonisolated lane.
  ///
  /// Adds them in chunks, so that the time under the lock does not grow with each tick.
  func add(_ ticks: [DueTick], on actor: (any Actor)?) {
    let chunks = stride(from: 0, to: ticks.count, by: Self.chunk).map { start in
      Array(ticks[start..<min(start + Self.chunk, ticks.count)].reversed())
    }
    let id = actor.map { ObjectIdentifier($0) }
    let mustSchedule = lanes.withLock { lanes in
      var lane = lanes.removeValue(forKey: id) ?? Lane(actor: actor)
      for chunk in chunks { _ = lane.chunks.append(chunk) }
      let isScheduled = lane.isScheduled
      lane.isScheduled = true
      lanes[id] = lane
      return !isScheduled
    }
    if mustSchedule { schedule(on: actor) }
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
    let id = actor.map { ObjectIdentifier($0) }
    let runner = currentTaskID()
    var isFirst = true
    // Ticks that fall due meanwhile wait for another turn of the actor, which runs other work in between.
    var remaining = 1
    while true {
      let turn = next(id, isFirst: isFirst)
      if turn.needsSuccessor { schedule(on: actor) }
      guard let tick = turn.tick else { return }
      if isFirst { remaining = turn.available }
      isFirst = false
      await tick.source.run(tick.key, by: runner, tick.unit)
      // A handler that cancelled its own task has cancelled this one: another task continues.
      remaining -= 1
      if Task.isCancelled || remaining == 0 { return leave(id, actor) }
    }
  }

  private func next(_ id: ObjectIdentifier?, isFirst: Bool) -> Turn {
    lanes.withLock { lanes in
      var turn = Turn()
      guard let index = lanes.index(forKey: id) else { return turn }
      if isFirst {
        lanes.values[index].isScheduled = false
        turn.available = max(1, min(lanes.values[index].count, Self.chunk))
      }
      turn.tick = lanes.values[index].popFirst()
      guard !lanes.values[index].isScheduled else { return turn }
      if lanes.values[index].isEmpty {
        turn.closed = lanes.remove(at: index).value
      } else {
        turn.needsSuccessor = true
        lanes.values[index].isScheduled = true
      }
      return turn
    }
  }

  private func leave(_ id: ObjectIdentifier?, _ actor: (any Actor)?) {
    let mustSchedule = lanes.withLock { lanes in
      guard let lane = lanes[id], !lane.isScheduled, !lane.isEmpty else { return false }
      lanes[id]?.isScheduled = true
      return true
    }
    if mustSchedule { schedule(on: actor) }
  }
}

/// Due ticks, grouped by lane.
struct TickGroups {
  private var groups: [(actor: (any Actor)?, ticks: [DueTick])] = []
  private var indices: [ObjectIdentifier?: Int] = [:]

  /// Adds a tick at the end of the group of its actor, or of the nonisolated group.
  mutating func append(_ tick: DueTick, on actor: (any Actor)?) {
    let id = actor.map { ObjectIdentifier($0) }
    if let index = indices[id] {
      groups[index].ticks.append(tick)
    } else {
      indices[id] = groups.count
      groups.append((actor, [tick]))
    }
  }

  /// Adds the ticks to their lanes, starting with the lane of the earliest tick.
  func send(to lanes: TickLanes) {
    for group in groups { lanes.add(group.ticks, on: group.actor) }
  }
}
