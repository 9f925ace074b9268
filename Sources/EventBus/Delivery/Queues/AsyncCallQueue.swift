/// The events that wait for one asynchronous handler, and the task that calls it: one call at a time, first
/// in, first out.
///
/// The task runs while events wait, and retains the observer only during a call, so cancelling frees an
/// idle handler at once.
package final class AsyncCallQueue: Finishable {
  private struct State: ~Copyable {
    var lane: Lane<QueuedEvent>
    var isClosed = false
    var dropped = 0
    var alarm = CrowdAlarm()
  }

  private let state: Locked<State>
  private let counts: WaitingCount

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - limit: The number of events that wait at most.
  ///   - counts: The counts of what waits, shared with the other queues of the bus.
  package init(_ limit: BufferLimit, _ counts: WaitingCount) {
    state = Locked(State(lane: Lane(limit)))
    self.counts = counts
  }

  package var content: QueueContent? {
    state.withLock { state in
      QueueContent(waitingCount: state.lane.waiting.count, droppedCount: state.dropped)
    }
  }

  /// Adds an event, and starts the calling task if there is none.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - list: The address of the list of the observer.
  /// - Returns: `queued`, or the reason for which this very event was discarded; and the number of events that wait,
  ///   if it is to be reported, otherwise zero.
  package func add(_ event: QueuedEvent, of list: UInt) -> (Reception, crowd: Int) {
    typealias Addition = (discarded: QueuedEvent?, mustStart: Bool, crowd: Int)
    let addition = state.withLock { state -> Addition? in
      if state.isClosed { return nil }
      let discarded = state.lane.waiting.append(event)
      if discarded != nil { state.dropped += 1 }
      let count = state.lane.waiting.count
      let crowd = state.alarm.isDue(count) ? count : 0
      return (discarded, state.lane.requestTurn(countedBy: counts, for: list), crowd)
    }
    guard let (discarded, mustStart, crowd) = addition else {
      return (event.registration.refusal, 0)
    }
    if mustStart { Task.detached { await self.work() } }
    return (discarded === event ? .dropped : .queued, crowd)
  }

  /// Drops all waiting and all later events.
  package func finish() {
    let remaining = state.withLock { state in
      state.isClosed = true
      return state.lane.waiting.removeAll()
    }
    withExtendedLifetime(remaining) {}
  }

  private func work() async {
    while let event = next() { await event.openAsync(in: counts) }
    counts.endTurn()
  }

  private func next() -> QueuedEvent? {
    state.withLock { state in
      let next = state.lane.waiting.popFirst()
      if next == nil { _ = state.lane.endTurn() }
      return next
    }
  }
}
