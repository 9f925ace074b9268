/// An observer with an asynchronous handler: one call at a time, first in, first out.
///
/// The queue is a separate object. Its task runs while events are waiting, and retains the observer only
/// during a call, so cancelling frees an idle handler at once.
package final class AsyncObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let body: @Sendable (Payload) async throws -> Reception
  private let queue: AsyncCallQueue<Payload>

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - conditions: The conditions for accepting an event.
  ///   - owner: The facts about the owner.
  ///   - link: The link that ends the registration.
  ///   - gate: The gate that holds live events back during a replay.
  ///   - limit: The number of events to keep while the handler is busy.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - body: Calls the handler, with its owner if there is one.
  package init(
    fileID: StaticString,
    line: UInt,
    conditions: Conditions,
    owner: OwnerFacts,
    link: ObserverLink,
    gate: ReplayGate?,
    limit: BufferLimit,
    mailbox: Mailbox?,
    body: @escaping @Sendable (Payload) async throws -> Reception
  ) {
    self.body = body
    queue = AsyncCallQueue(limit, link: link)
    super.init(
      fileID: fileID,
      line: line,
      conditions: conditions,
      owner: owner,
      link: link,
      gate: gate,
      mailbox: mailbox
    )
  }

  override package var loadsOwnerOnPost: Bool { false }
  override package var isBound: Bool { true }
  override package var droppedCount: UInt { queue.droppedCount }
  override package var dependent: (any Finishable)? { queue }

  override package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    queue.add(payload, delivery) ? .queued : .dropped
  }

  /// Calls the handler and waits for it.
  ///
  /// - Throws: The error of the handler.
  package func run(_ payload: Payload) async throws -> Reception {
    endIfOnce()
    calls.add()
    return try await body(payload)
  }
}

/// The events that wait for one asynchronous handler, and the task that delivers them.
package final class AsyncCallQueue<Payload: Sendable>: Finishable {
  private typealias Call = WaitingEvent<Payload>

  private struct State {
    var calls: BoundedQueue<Call>
    var isWorking = false
    var isClosed = false
    var dropped: UInt = 0
  }

  private let state: Locked<State>
  private let link: ObserverLink

  /// Creates an empty queue.
  package init(_ limit: BufferLimit, link: ObserverLink) {
    state = Locked(State(calls: BoundedQueue(limit)))
    self.link = link
  }

  /// The number of events discarded because the queue was full.
  package var droppedCount: UInt { state.withLock { $0.dropped } }

  /// Adds an event, and starts the delivering task if there is none.
  ///
  /// - Returns: `false` when this very event was discarded.
  package func add(_ payload: Payload, _ delivery: borrowing Delivery) -> Bool {
    // A handler that posts to itself and waits would deadlock.
    let isOwn = delivery.completion?.callers.contains(ObjectIdentifier(link)) ?? false
    let call = Call(payload, isOwn ? delivery.forLater : delivery.detached)
    let (discarded, mustStart) = state.withLock { state -> (Call?, Bool) in
      if state.isClosed { return (call, false) }
      let discarded = state.calls.append(call)
      if discarded != nil { state.dropped += 1 }
      defer { state.isWorking = true }
      return (discarded, !state.isWorking)
    }
    if mustStart { Task.detached { await self.work() } }
    return discarded !== call
  }

  /// Drops all waiting and all later events.
  package func finish() {
    let remaining = state.withLock { state in
      state.isClosed = true
      return state.calls.removeAll()
    }
    withExtendedLifetime(remaining) {}
  }

  private func work() async {
    while let call = next() {
      if await make(call) { link.finish() }
    }
  }

  private func next() -> Call? {
    state.withLock { state in
      let next = state.calls.popFirst()
      if next == nil { state.isWorking = false }
      return next
    }
  }

  /// Makes a call in its own frame: the observer is released before the call counts as finished.
  ///
  /// - Returns: `false` when the registration had ended.
  private func make(_ call: Call) async -> Bool {
    guard let observer: AsyncObserver<Payload> = link.begin() else { return false }
    await RunningCall.run(link, callers: call.delivery.completion?.callers ?? []) {
      await make(call, observer)
    }
    return true
  }

  private func make(_ call: Call, _ observer: AsyncObserver<Payload>) async {
    do {
      if try await observer.run(call.payload) == .ownerLost { link.endByItself() }
    } catch {
      link.list.handlerFailed(
        error,
        in: observer,
        payload: call.payload,
        delivery: call.delivery
      )
    }
  }
}
