/// The queues of due timers, one lane for each actor and one for all nonisolated handlers.
///
/// One task calls the handlers of a lane one after another, however many timers are due. It ends its turn of
/// the lane when it takes its first timer, so that a *successor* is scheduled if others wait. While handlers
/// do not suspend, the actor is busy, and the successor later finds nothing to do. When a handler suspends,
/// the actor becomes free: the successor starts, continues with the next timer and has a successor of its
/// own. A handler that suspends therefore delays no other timer, and an extra task runs only where a handler
/// suspended. The nonisolated lane works the same way; its successor runs on another thread as soon as one
/// is free.
///
/// A lane exists while a task is scheduled for it that has not started. It keeps its actor alive for that
/// time.
final class TickLanes: Sendable {
  /// A timer that is due, and the actor on which its handler runs; `nil` for the nonisolated lane.
  typealias Tick = (actor: (any Actor)?, timer: TimerRegistration)

  /// The maximum number of ticks that are added under one lock, and that one task calls.
  private static let run = 64

  static let shared = TickLanes()

  private let lanes = Locked<[ObjectIdentifier?: Lane<TimerRegistration>]>([:])

  private init() {}

  /// Adds ticks at the ends of the lanes of their actors.
  func add(_ ticks: [Tick]) {
    var rest = ticks[...]
    while let first = rest.first { rest = rest.dropFirst(add(rest, on: first.actor)) }
  }

  /// Adds the first ticks, as far as they belong to one actor.
  ///
  /// - Returns: The number of added ticks.
  private func add(_ ticks: ArraySlice<Tick>, on actor: (any Actor)?) -> Int {
    let run = ticks.prefix(Self.run).prefix { $0.actor === actor }
    let id = Self.id(of: actor)
    let mustSchedule = lanes.withLock { lanes in
      // Taken out, so that the lanes are searched twice and not once for each tick.
      var lane = lanes.removeValue(forKey: id) ?? Lane()
      for tick in run { _ = lane.waiting.append(tick.timer) }
      let mustSchedule = lane.requestTurn()
      lanes[id] = lane
      return mustSchedule
    }
    if mustSchedule { schedule(on: actor) }
    return run.count
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
      next = lanes.withLock { $0[Self.id(of: actor)]?.waiting.popFirst() }
    }
  }

  /// Takes the first timer for a task that has started, and schedules a successor for the other ones.
  ///
  /// - Parameter actor: The actor of the lane.
  /// - Returns: The timer, if any remains, and the number of timers that the task may call.
  private func begin(on actor: (any Actor)?) -> (timer: TimerRegistration?, available: Int) {
    let id = Self.id(of: actor)
    let (timer, available, isMore) = lanes.withLock { lanes -> (TimerRegistration?, Int, Bool) in
      guard let index = lanes.index(forKey: id) else { return (nil, 0, false) }
      let available = min(lanes.values[index].waiting.count, Self.run)
      let timer = lanes.values[index].waiting.popFirst()
      let isMore = lanes.values[index].endTurn()
      if !isMore { lanes.remove(at: index) }
      return (timer, available, isMore)
    }
    if isMore { schedule(on: actor) }
    return (timer, available)
  }

  private static func id(of actor: (any Actor)?) -> ObjectIdentifier? {
    actor.map { ObjectIdentifier($0) }
  }
}
