extension EventBus {
  /// Posts an event in a later turn of the caller's isolation.
  ///
  /// Events are delivered first in, first out. The queue is swapped out before it is delivered, so that
  /// what a handler enqueues waits for another turn. Without an isolation the event is posted from a
  /// task, in order for each bus. The sender is not kept, neither while the event waits nor while it is
  /// delivered. If it dies meanwhile, observers that named it are reached all the same for as long as they
  /// are registered; no new object is taken for it. What it enqueues in its own `deinit` reaches no observer
  /// that named it.
  ///
  /// It may be called from an isolated `deinit`: an actor that is being destroyed has no later turn, so the
  /// event is posted from a task, like one that is enqueued without an isolation.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - payload: What it carries.
  ///   - sender: Who posts.
  ///   - coalescing: Which waiting events this one takes the place of.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the caller runs on; filled in by the compiler.
  /// - Complexity: O(1), one lock, and one more with a sender; O(*n*) in the number of waiting events when
  ///   it coalesces.
  public func enqueue<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    coalescing: Coalescing = .none,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) {
    let core = core(of: name)
    let identity = sender.map { core.identity(of: $0) }
    let event = EnqueuedEvents.Event(name: name.index, sender: identity) { [weak self] isolation in
      // The bus may have died; its observers went with it.
      guard self != nil else { return }
      var delivery = Delivery(
        fileID: fileID,
        line: line,
        sender: identity?.id,
        isolation: isolation
      )
      delivery.waitedFrom = identity
      core.deliver(payload, from: nil, delivery)
    }
    hub.queue(of: isolation).add(event, coalescing)
  }

  /// Posts an event that carries nothing, in a later turn of the caller's isolation.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - sender: Who posts.
  ///   - coalescing: Which waiting events this one takes the place of.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the caller runs on; filled in by the compiler.
  /// - Complexity: O(1), one lock; O(*n*) in the number of waiting events when it coalesces.
  public func enqueue(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    coalescing: Coalescing = .none,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) {
    enqueue(
      name,
      (),
      from: sender,
      coalescing: coalescing,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
  }

  /// Posts an event and waits until every handler has finished, those on actors and asynchronous ones
  /// included.
  ///
  /// Called from an asynchronous handler, it does not wait for a call that itself waits for that handler,
  /// such as another call of it. This holds in the handler's own task. A child task (`async let`, a task
  /// group) and a `Task` that the handler starts look alike from inside, and the latter may outlive the
  /// handler, so both wait for every call: a handler that waits for such a task while that waits here for
  /// another call of the handler waits for itself for ever. Call `postAndWait` in the handler's own task, or
  /// do not wait for the task that calls it. Returns early when the waiting task is cancelled; the handlers
  /// go on.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - payload: What it carries.
  ///   - sender: Who posts.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the caller runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached.
  /// - Complexity: O(*n*) in the number of observers, and as long as the slowest takes.
  @discardableResult
  public func postAndWait<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) async -> Int {
    let (reached, completion) = postCounting(
      name,
      payload,
      from: sender,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
    await completion.wait()
    return reached
  }

  /// Posts an event, and returns what to wait with until every handler has finished, those on actors and
  /// asynchronous ones included.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - payload: What it carries.
  ///   - sender: Who posts.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the caller runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached, and the count of the calls that are not done.
  /// - Complexity: O(*n*) in the number of observers.
  package func postCounting<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> (reached: Int, completion: Completion) {
    let completion = Completion(callers: RunningCall.current?.links ?? [])
    let delivery = Delivery(
      fileID: fileID,
      line: line,
      sender: sender.map(ObjectIdentifier.init),
      isolation: isolation,
      completion: completion
    )
    let reached = core(of: name).deliver(payload, from: sender, delivery)
    completion.finish()
    return (reached, completion)
  }

  /// Posts an event that carries nothing and waits until every handler has finished.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - sender: Who posts.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the caller runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached.
  /// - Complexity: O(*n*) in the number of observers, and as long as the slowest takes.
  @discardableResult
  public func postAndWait(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) async -> Int {
    await postAndWait(
      name,
      (),
      from: sender,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
  }
}

/// Which waiting events a new one takes the place of, when events are enqueued.
///
/// Every waiting event that matches is removed, and the new one takes the position of the first. What waits
/// is matched however it was enqueued. Senders are the same when they are one object; events without a sender
/// have no sender in common.
public enum Coalescing: Sendable {
  /// None: every event is delivered.
  case none
  /// Those of the same name, whatever their sender.
  case name
  /// Those of the same sender, whatever their name.
  case sender
  /// Those of the same name and the same sender, or of the same name where neither has one.
  case nameAndSender
}
