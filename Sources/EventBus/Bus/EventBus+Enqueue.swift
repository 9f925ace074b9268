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
  /// An event that a hook of the bus enqueues is not reported to hooks, and neither is what its handlers post.
  /// What those handlers enqueue is reported again; see ``EventHooks``.
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
  /// - Complexity: O(1), one lock, a second one if there is a sender, and another one on an actor other than
  ///   the main actor; O(*n*) in the number of waiting events when it coalesces.
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
    func enqueue(on core: SignalCore<Payload>) {
      busState.withMailbox(of: isolation) {
        core.enqueue(payload, from: sender, at: site, on: isolation, in: $0, coalescing)
      }
    }
    table.with(name.index, enqueue) ?? enqueue(on: core(of: name))
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

extension SignalCore {
  /// Adds an event to what waits for a later turn, or puts it at the place of the first event that it replaces.
  fileprivate func enqueue(
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?,
    in mailbox: Mailbox,
    _ coalescing: Coalescing
  ) {
    let origin = EventOrigin(Post(at: site), nil, RunningCall.eventChain)
    let cause = enqueuingCause(payload, from: sender, at: site, on: isolation)
    let identity = sender.map { self.identity(of: $0) }
    let isPlain = identity == nil && cause == nil
    func isReplaced(_ events: EnqueuedEvents) -> Bool {
      guard events.list === self else { return false }
      return coalescing == .name || events.sender?.id == identity?.id
    }
    let crowd = mailbox.enqueue(for: ObjectAddress.of(self), retaining: isolation) { queue in
      // The queue keeps the events, which are of this name, so that their payloads have this type.
      let last = isPlain && coalescing == .none ? queue.addressOfOpen(self) : 0
      let hasJoined = ObjectAddress.borrow(last) { (events: TypedEnqueuedEvents<Payload>) in
        events.append(payload, origin)
        return true
      }
      if hasJoined == true {
        queue.noteJoined()
        return []
      }
      let events = enqueuedEvents.init(self, from: identity, cause)
      events.append(payload, origin)
      return queue.add(events, replacing: coalescing == .none ? nil : isReplaced)
    }
    if crowd > 0 { enqueuedIsCrowded(crowd, of: mailbox.identity, at: site) }
    if origin.chain.isFirstTooLong { chainIsLong(at: site) }
  }

  /// The information that hooks need about an event that is being enqueued; `nil` if there is none.
  ///
  /// Events that a hook enqueues are not reported, like those that it posts: otherwise a hook could
  /// report itself forever.
  private func enqueuingCause(
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> EnqueuingCause? {
    if RunningHook.isCaller { return .hook }
    if !busState.isFollowed { return nil }
    let post = Post(at: site, from: sender, on: isolation)
    let interceptions = busState.capture { event(payload, post) }
    return .post(RunningPost.currentNumber, interceptions)
  }
}

/// The information that hooks need about an event between its `enqueue` and its delivery.
enum EnqueuingCause: Sendable {
  /// A hook enqueued the event, so that it is not reported.
  case hook
  /// The number of the post whose handler enqueued the event, and the values that interceptors captured.
  case post(Int?, [Interception])

  /// The number of the post whose handler enqueued the event.
  var post: Int? {
    if case .post(let number, _) = self { number } else { nil }
  }

  /// The values that interceptors captured.
  var interceptions: [Interception]? {
    if case .post(_, let interceptions) = self { interceptions } else { nil }
  }
}

/// Enqueued events with the type of their payloads.
final class TypedEnqueuedEvents<Payload: Sendable>: EnqueuedEvents,
  @unchecked Sendable  // Reason: guarded by the lock of the mailbox, then confined to its turn.
{
  // No other access can begin during one of these: they are instantaneous.
  @exclusivity(unchecked) private var events: QueuedEvents<Payload>
  private let core: SignalCore<Payload>
  private let cause: EnqueuingCause?

  /// Creates an object without events.
  ///
  /// - Parameters:
  ///   - core: The observers.
  ///   - sender: The identity of the sender.
  ///   - cause: The information that hooks need.
  required init(_ core: SignalCore<Payload>, from sender: SenderIdentity?, _ cause: EnqueuingCause?)
  {
    (self.core, self.cause) = (core, cause)
    unsafe events = QueuedEvents()  // Reason: initialization.
    super.init(of: core, from: sender, isOpen: sender == nil && cause == nil)
  }

  override var name: String { core.name }

  override var count: Int { unsafe events.count }  // Reason: as the class says.

  /// Adds an event at the end.
  func append(_ payload: Payload, _ origin: EventOrigin) {
    unsafe events.append(payload, origin)  // Reason: locked, or not shared yet.
  }

  override func deliverNext(on isolation: (any Actor)?, noting notes: ThreadNotes?) -> Bool {
    guard let origin = unsafe events.popOrigin() else { return false }  // Reason: before the post.
    let payload = unsafe events.popPayload()  // Reason: as above.
    notes?.chain = origin.chain.next
    // The bus may have been released, and its observers with it. A weak reference would cost more than the
    // rest of the event.
    if !core.busState.isReleased { deliver(payload, at: origin.site, on: isolation) }
    return unsafe events.count > 0  // Reason: as above.
  }

  private func deliver(_ payload: Payload, at site: CallSite, on isolation: (any Actor)?) {
    if isOpen {
      _ = core.send(payload, from: nil, excluding: nil, at: site, on: isolation)
      return
    }
    let post = Post(at: site, senderID: sender?.id, sender, on: isolation)
    if let isolation, !core.busState.counts.areMailboxesEmpty {
      core.busState.drainMailbox(of: isolation)
    }
    func send() { core.sendInOrder(payload, from: nil, post, enqueued: cause) }
    if case .hook = cause { RunningHook.deliver(send) } else { send() }
  }
}
