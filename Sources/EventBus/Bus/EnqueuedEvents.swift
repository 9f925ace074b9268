/// An event that waits in an ``EventQueue``, or a run of events that differ only in their payloads.
class EnqueuedEvents: @unchecked Sendable {  // Reason: constants; see the subclasses.
  /// The number of the name.
  let name: Int
  /// The identity of the sender.
  let sender: SenderIdentity?

  init(name: Int, sender: SenderIdentity?) { (self.name, self.sender) = (name, sender) }

  /// The string of the event's name, for reports.
  var label: String { "" }

  /// The number of events.
  var count: Int { 1 }

  /// Returns whether an event without a sender may join this run.
  func admits(_ core: ObserverList, at site: CallSite) -> Bool { false }

  /// Delivers the next event, on the actor of the queue.
  ///
  /// - Returns: `true` if there are more.
  func deliverNext(on isolation: (any Actor)?) -> Bool { false }

  /// Returns whether this event, newly enqueued, replaces waiting ones.
  func replaces(_ waiting: EnqueuedEvents, _ coalescing: Coalescing) -> Bool {
    switch coalescing {
    case .none: false
    case .name: waiting.name == name
    case .sender: hasSender(of: waiting)
    case .nameAndSender:
      waiting.name == name && (waiting.sender == nil && sender == nil || hasSender(of: waiting))
    }
  }

  /// Returns whether one object sent both events.
  ///
  /// Comparing identities is sufficient, because a ``SenderIdentity`` keeps the memory of its sender from
  /// being reused, unless that is an Objective-C object.
  private func hasSender(of other: EnqueuedEvents) -> Bool {
    sender != nil && sender?.id == other.sender?.id
  }
}

/// An event with a sender, one that coalesces, one that hooks follow, or one that a hook enqueued.
final class EnqueuedEvent: EnqueuedEvents, @unchecked Sendable {  // Reason: constant.
  private let eventName: String
  private let deliver: @Sendable (_ isolation: (any Actor)?) -> Void

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - name: The number of the name.
  ///   - label: The string of the name.
  ///   - sender: The identity of the sender.
  ///   - deliver: Delivers the event, on the actor of the queue.
  init(
    name: Int,
    label: String,
    sender: SenderIdentity?,
    deliver: @escaping @Sendable (_ isolation: (any Actor)?) -> Void
  ) {
    eventName = label
    self.deliver = deliver
    super.init(name: name, sender: sender)
  }

  override var label: String { eventName }

  override func deliverNext(on isolation: (any Actor)?) -> Bool {
    deliver(isolation)
    return false
  }
}

/// Events of one source site, each delivered like a post made at the time of its delivery.
final class EnqueuedRun<Payload: Sendable>: EnqueuedEvents,
  @unchecked Sendable  // Reason: guarded by the lock of the queue, then confined to its turn.
{
  // No other access can begin during one of these.
  @exclusivity(unchecked) private var payloads: PayloadRun<Payload>
  private let core: SignalCore<Payload>
  private let site: CallSite

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - payload: The payload of the first event.
  ///   - core: The observers.
  ///   - name: The number of the name.
  ///   - site: The source site of the calls.
  required init(
    _ payload: Payload,
    _ core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite
  ) {
    unsafe payloads = PayloadRun(payload)  // Reason: initialization.
    (self.core, self.site) = (core, site)
    super.init(name: name, sender: nil)
  }

  override var label: String { core.name }

  override var count: Int { unsafe payloads.count }  // Reason: an instantaneous read.

  override func admits(_ core: ObserverList, at site: CallSite) -> Bool {
    let hasRoom = unsafe payloads.hasRoom  // Reason: an instantaneous read.
    return hasRoom && self.core === core && self.site.isSame(as: site)
  }

  /// Adds an event to a run that admits it, under the lock of the queue.
  func append(_ payload: Payload) {
    unsafe payloads.append(payload)  // Reason: does not use the run.
  }

  override func deliverNext(on isolation: (any Actor)?) -> Bool {
    let payload = unsafe payloads.removeFirst()  // Reason: instantaneous, before the post.
    // The bus may have been released, and its observers with it. A weak reference would cost more than the
    // rest of the event.
    if !core.busState.isReleased {
      _ = core.send(payload, from: nil, excluding: nil, at: site, on: isolation)
    }
    return unsafe payloads.count > 0  // Reason: an instantaneous read.
  }
}
