/// Something that has timers whose time has come.
protocol TimerSource: KeyedRegistrations {
  /// Makes the call that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - runner: The task that makes the call.
  ///   - unit: Counts the call, for a clock that asked for it.
  func run(_ key: UInt, by runner: Int, _ unit: TimerActivity.Unit?) async
}

/// A tick that is due.
struct DueTick: Sendable {
  let source: any TimerSource
  let key: UInt
  let unit: TimerActivity.Unit?
}

/// The ticks that are due, in one lane for each actor and one for all nonisolated handlers, and the tasks
/// that bring them to their handlers.
///
/// However many ticks are due together, one task makes the calls of a lane, one after the other. Before it
/// makes the first of several it sends for a *second*. As long as handlers do not suspend, an actor has no
/// time for the second, which finds nothing to do. When a handler suspends, the actor becomes free, the
/// second arrives, goes on with the next tick and sends for a second of its own. So a handler that suspends
/// holds up nobody, and a task is begun only where a handler suspended. The nonisolated lane works the
/// same; there the second runs on another thread as soon as one is free.
///
/// A lane keeps its actor only while ticks are due there.
final class TickLanes: Sendable {
  private struct Lane {
    let actor: (any Actor)?
    /// What comes next, last first.
    var front: [DueTick] = []
    var chunks = BoundedQueue<[DueTick]>()
    /// Whether a task was sent for that has not arrived.
    var isCalled = false

    var isEmpty: Bool { front.isEmpty && chunks.isEmpty }
    var count: Int { front.count + (chunks.first?.count ?? 0) }

    mutating func popFirst() -> DueTick? {
      if front.isEmpty { front = chunks.popFirst() ?? [] }
      return front.popLast()
    }
  }

  private struct State {
    var lanes: [ObjectIdentifier?: Lane] = [:]
  }

  /// What a task finds in its lane.
  private struct Find {
    var tick: DueTick?
    /// Whether somebody else is needed for what is left.
    var isCalling = false
    /// The lane, if it was closed, to be let go outside the lock.
    var closed: Lane?
    /// How many ticks there were, the one found included, up to a chunk.
    var rest = 1
  }

  private static let chunk = 64

  /// The lanes of the process.
  static let shared = TickLanes()

  private let state = Locked(State())

  private init() {}

  /// Adds ticks behind all others of an actor, or of no actor.
  ///
  /// They are added in chunks, so that the lock is not held for each of many.
  func add(_ ticks: [DueTick], on actor: (any Actor)?) {
    let chunks = stride(from: 0, to: ticks.count, by: Self.chunk).map { start in
      Array(ticks[start..<min(start + Self.chunk, ticks.count)].reversed())
    }
    let name = actor.map { ObjectIdentifier($0) }
    let mustCall = state.withLock { state in
      var lane = state.lanes.removeValue(forKey: name) ?? Lane(actor: actor)
      for chunk in chunks { _ = lane.chunks.append(chunk) }
      let isCalled = lane.isCalled
      lane.isCalled = true
      state.lanes[name] = lane
      return !isCalled
    }
    if mustCall { call(on: actor) }
  }

  private func call(on actor: (any Actor)?) {
    if actor === MainActor.shared {
      Task.detached(operation: workOnMain)
    } else {
      Task.detached { await self.work(on: actor) }
    }
  }

  @MainActor private func workOnMain() async { await work(on: MainActor.shared) }

  private func work(on actor: isolated (any Actor)?) async {
    let name = actor.map { ObjectIdentifier($0) }
    let runner = TaskIdentity.current
    var arrives = true
    // What comes meanwhile waits for another turn of the actor, so that others have theirs.
    var rest = 1
    while true {
      let find = next(name, arrives: arrives)
      if find.isCalling { call(on: actor) }
      guard let tick = find.tick else { return }
      if arrives { rest = find.rest }
      arrives = false
      await tick.source.run(tick.key, by: runner, tick.unit)
      // A handler that cancelled its own task has cancelled this one: another one goes on.
      rest -= 1
      if Task.isCancelled || rest == 0 { return leave(name, actor) }
    }
  }

  private func next(_ name: ObjectIdentifier?, arrives: Bool) -> Find {
    state.withLock { state in
      var find = Find()
      guard let index = state.lanes.index(forKey: name) else { return find }
      if arrives {
        state.lanes.values[index].isCalled = false
        find.rest = max(1, min(state.lanes.values[index].count, Self.chunk))
      }
      find.tick = state.lanes.values[index].popFirst()
      guard !state.lanes.values[index].isCalled else { return find }
      if state.lanes.values[index].isEmpty {
        find.closed = state.lanes.remove(at: index).value
      } else {
        find.isCalling = true
        state.lanes.values[index].isCalled = true
      }
      return find
    }
  }

  private func leave(_ name: ObjectIdentifier?, _ actor: (any Actor)?) {
    let mustCall = state.withLock { state in
      guard let lane = state.lanes[name], !lane.isCalled, !lane.isEmpty else { return false }
      state.lanes[name]?.isCalled = true
      return true
    }
    if mustCall { call(on: actor) }
  }
}

/// Ticks that are due, sorted by the lanes they will be handed to.
struct TickGroups {
  private struct Group {
    let actor: (any Actor)?
    var ticks: [DueTick]
  }

  private var groups: [Group] = []
  private var places: [ObjectIdentifier?: Int] = [:]

  /// Adds a tick behind those of the same actor, or of no actor.
  mutating func append(_ tick: DueTick, on actor: (any Actor)?) {
    let name = actor.map { ObjectIdentifier($0) }
    if let place = places[name] {
      groups[place].ticks.append(tick)
    } else {
      places[name] = groups.count
      groups.append(Group(actor: actor, ticks: [tick]))
    }
  }

  /// Hands the ticks over, the lane of the earliest first.
  func send(to lanes: TickLanes) {
    for group in groups { lanes.add(group.ticks, on: group.actor) }
  }
}
