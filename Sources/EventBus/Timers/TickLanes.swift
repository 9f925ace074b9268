/// A tick that is due and waits for its executor.
struct DueTick: Sendable {
  /// The actor on which the handler runs, or `nil` for the nonisolated lane.
  let actor: (any Actor)?
  let timer: TimerRegistration
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
  /// The due ticks of one actor.
  ///
  /// A lane exists exactly while a task is scheduled for it that has not started.
  private struct Lane {
    /// The next ticks, in reverse order.
    var front: [DueTick] = []
    var chunks = BoundedQueue<[DueTick]>()

    var isEmpty: Bool { front.isEmpty && chunks.isEmpty }
    var count: Int { front.count + (chunks.first?.count ?? 0) }

    mutating func popFirst() -> DueTick? {
      if front.isEmpty { front = chunks.popFirst() ?? [] }
      return front.popLast()
    }
  }

  private static let chunk = 64

  static let shared = TickLanes()

  private let lanes = Locked<[ObjectIdentifier?: Lane]>([:])

  private init() {}

  /// Adds ticks at the ends of the lanes of their actors, starting with the lane of the first tick.
  func add(_ ticks: [DueTick]) {
    var groups: [[DueTick]] = []
    var indices: [ObjectIdentifier?: Int] = [:]
    for tick in ticks {
      let id = tick.actor.map { ObjectIdentifier($0) }
      if let index = indices[id] {
        groups[index].append(tick)
      } else {
        indices[id] = groups.count
        groups.append([tick])
      }
    }
    for group in groups { add(group, on: group[0].actor) }
  }

  /// Adds ticks in chunks, so that the time under the lock does not grow with each tick.
  private func add(_ ticks: [DueTick], on actor: (any Actor)?) {
    let chunks = stride(from: 0, to: ticks.count, by: Self.chunk).map { start in
      Array(ticks[start..<min(start + Self.chunk, ticks.count)].reversed())
    }
    let mustSchedule = lanes.withLock { lanes in
      let former = lanes.removeValue(forKey: Self.id(of: actor))
      var lane = former ?? Lane()
      for chunk in chunks { _ = lane.chunks.append(chunk) }
      lanes[Self.id(of: actor)] = lane
      return former == nil
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
    let task = currentTaskID()
    var (next, remaining) = begin(on: actor)
    while let tick = next {
      await tick.timer.run(in: task, tick.unit)
      // Ticks that fall due meanwhile wait for another turn of the actor, which runs other work in between.
      remaining -= 1
      // A handler that cancelled its own task has cancelled this one: the successor continues.
      if Task.isCancelled || remaining == 0 { return }
      next = lanes.withLock { $0[Self.id(of: actor)]?.popFirst() }
    }
  }

  /// Removes the first tick for a scheduled task that has started, and schedules a successor for the
  /// remaining ones.
  ///
  /// - Parameter actor: The actor of the lane.
  /// - Returns: The tick, if any remains, and the number of ticks including this one, up to a chunk.
  private func begin(on actor: (any Actor)?) -> (tick: DueTick?, available: Int) {
    let (tick, available, isLast) = lanes.withLock { lanes -> (DueTick?, Int, Bool) in
      guard let index = lanes.index(forKey: Self.id(of: actor)) else { return (nil, 0, true) }
      let available = min(lanes.values[index].count, Self.chunk)
      let tick = lanes.values[index].popFirst()
      let isLast = lanes.values[index].isEmpty
      if isLast { lanes.remove(at: index) }
      return (tick, available, isLast)
    }
    if !isLast { schedule(on: actor) }
    return (tick, available)
  }

  private static func id(of actor: (any Actor)?) -> ObjectIdentifier? {
    actor.map { ObjectIdentifier($0) }
  }
}
