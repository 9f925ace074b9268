/// Something that has timers whose time has come.
internal protocol TimerSource: KeyedRegistrations {
  /// Makes the call that is due.
  ///
  /// - Parameters:
  ///   - key: The timer.
  ///   - runner: The task that makes the call.
  ///   - unit: Counts the call, for a clock that asked for it.
  func run(_ key: UInt, by runner: Int, _ unit: TimerActivity.Unit?) async
}

/// A tick that is due.
internal struct DueTick: Sendable {
  internal let source: any TimerSource
  internal let key: UInt
  internal let unit: TimerActivity.Unit?
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
internal final class TickLanes: Sendable {
  private struct Lane {
    let actor: (any Actor)?
    var ticks = BoundedQueue<DueTick>()
    /// Whether a task was sent for that has not arrived.
    var isCalled = false
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
  }

  /// The lanes of the process.
  internal static let shared = TickLanes()

  private let state = Locked(State())

  private init() {}

  /// Adds ticks behind all others of an actor, or of no actor.
  internal func add(_ ticks: [DueTick], on actor: (any Actor)?) {
    let name = actor.map { ObjectIdentifier($0) }
    let mustCall = state.withLock { state in
      for tick in ticks {
        _ = state.lanes[name, default: Lane(actor: actor)].ticks.append(tick)
      }
      let isCalled = state.lanes[name]?.isCalled ?? true
      state.lanes[name]?.isCalled = true
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
    while true {
      let find = next(name, arrives: arrives)
      if find.isCalling { call(on: actor) }
      guard let tick = find.tick else { return }
      arrives = false
      await tick.source.run(tick.key, by: runner, tick.unit)
      // A handler that cancelled its own task has cancelled this one: another one goes on.
      if Task.isCancelled { return leave(name, actor) }
    }
  }

  private func next(_ name: ObjectIdentifier?, arrives: Bool) -> Find {
    state.withLock { state in
      var find = Find()
      if arrives { state.lanes[name]?.isCalled = false }
      find.tick = state.lanes[name]?.ticks.popFirst()
      guard let lane = state.lanes[name], !lane.isCalled else { return find }
      if lane.ticks.isEmpty {
        find.closed = state.lanes.removeValue(forKey: name)
      } else {
        find.isCalling = true
        state.lanes[name]?.isCalled = true
      }
      return find
    }
  }

  private func leave(_ name: ObjectIdentifier?, _ actor: (any Actor)?) {
    let mustCall = state.withLock { state in
      guard let lane = state.lanes[name], !lane.isCalled, !lane.ticks.isEmpty else { return false }
      state.lanes[name]?.isCalled = true
      return true
    }
    if mustCall { call(on: actor) }
  }
}
