extension EventBus {
  /// Posts an event in a later turn of the caller's isolation.
  ///
  /// Events are delivered first in, first out. The queue is taken over as a whole before its events are
  /// delivered, so that events enqueued by handlers wait for another turn. Without an isolation, events are
  /// posted from a task, in order for each bus. The sender is not retained, neither while the event waits
  /// nor while it is delivered. If the sender dies meanwhile, the event still reaches observers that named
  /// it, for as long as they are registered; a new object at the same address does not match. An event that
  /// the sender enqueues in its own `deinit` does not reach observers that named it.
  ///
  /// An event that a hook of the bus enqueues is not reported to hooks, and neither is what its handlers post;
  /// what these enqueue is, as ``EventHooks`` says.
  ///
  /// The method may be called from an isolated `deinit`. An actor that is being destroyed has no later turn,
  /// so the event is posted from a task, like an event that is enqueued without an isolation.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - payload: The payload.
  ///   - sender: The sender of the event, which is not retained.
  ///   - coalescing: The waiting events that this event replaces.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Complexity: O(1), one lock, and one more each with a sender and on an actor other than the main actor;
  ///   O(*n*) in the number of waiting events when it coalesces.
  public func enqueue<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    coalescing: Coalescing = .none,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) {
    let site = CallSite(fileID, line)
    // What a hook enqueues is no more reported than what it posts, or it could report itself forever.
    let isInsideHook = RunningHook.isCaller
    if sender == nil, coalescing == .none, !busState.isFollowed, !isInsideHook {
      func add(to core: SignalCore<Payload>) {
        busState.withQueue(of: isolation) { $0.add(payload, of: core, name.index, at: site) }
      }
      return table.with(name.index, add) ?? add(to: core(of: name))
    }
    let core = core(of: name)
    let identity = sender.map { core.identity(of: $0) }
    let followed = core.enqueued(payload, Post(at: site, senderID: identity?.id, on: isolation))
    let origin = EnqueuedEvent.Origin(
      sender: identity,
      followed: followed,
      isFromHook: isInsideHook
    )
    busState.withQueue(of: isolation) {
      $0.add(payload, of: core, name.index, at: site, origin, coalescing)
    }
  }

  /// Posts an event without a payload in a later turn of the caller's isolation.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The sender of the event, which is not retained.
  ///   - coalescing: The waiting events that this event replaces.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Complexity: O(1), with the locks of the other method; O(*n*) in the number of waiting events when it
  ///   coalesces.
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
}

/// The waiting events that a newly enqueued event replaces.
///
/// Every waiting event that matches is removed, and the new event takes the position of the first. Waiting
/// events match regardless of the option they were enqueued with. Senders are compared by identity; events
/// without a sender have no sender in common.
public enum Coalescing: Sendable {
  /// Replaces no event: every event is delivered.
  case none
  /// Replaces events of the same name, whatever their sender.
  case name
  /// Replaces events of the same name and the same sender, or of the same name if neither has a sender.
  case nameAndSender
}
