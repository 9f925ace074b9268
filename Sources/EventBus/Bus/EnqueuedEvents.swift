/// An event that waits in an ``EventQueue``, or a run of events of one source site that differ only in their
/// payloads.
class EnqueuedEvents: @unchecked Sendable {  // Reason: constants; see the subclass.
  /// What is known of an event by itself: one with a sender, one that coalesces, one that hooks follow, or one that a
  /// hook enqueued.
  struct Origin: Sendable {
    /// The identity of the sender.
    let sender: SenderIdentity?
    /// Information for hooks.
    let followed: FollowedPost.Origin?
    /// Whether a hook of the bus enqueued the event.
    let isFromHook: Bool
  }

  /// The number of the name.
  let name: Int
  /// The origin; `nil` for a run, whose events are delivered like posts made at the time of their delivery.
  let origin: Origin?

  init(name: Int, origin: Origin?) { (self.name, self.origin) = (name, origin) }

  /// The string of the event's name, for reports.
  var label: String { "" }

  /// The number of events.
  var count: Int { 1 }

  /// Returns whether an event without an origin may join this run.
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
      waiting.name == name
        && (waiting.origin?.sender == nil && origin?.sender == nil || hasSender(of: waiting))
    }
  }

  /// Returns whether one object sent both events.
  ///
  /// Comparing identities is sufficient, because a ``SenderIdentity`` keeps the memory of its sender from
  /// being reused, unless that is an Objective-C object.
  private func hasSender(of other: EnqueuedEvents) -> Bool {
    guard let sender = origin?.sender else { return false }
    return sender.id == other.origin?.sender?.id
  }
}

/// Events with the type of their payloads.
final class EnqueuedRun<Payload: Sendable>: EnqueuedEvents,
  @unchecked Sendable  // Reason: guarded by the lock of the queue, then confined to its turn.
{
  // No other access can begin during one of these.
  @exclusivity(unchecked) private var payloads: PayloadRun<Payload>
  private let core: SignalCore<Payload>
  private let site: CallSite

  /// Begins a run, or wraps an event with an origin, which no other joins.
  ///
  /// - Parameters:
  ///   - payload: The payload of the first event.
  ///   - core: The observers.
  ///   - name: The number of the name.
  ///   - site: The source site of the calls.
  ///   - origin: The origin of an event by itself.
  required init(
    _ payload: Payload,
    _ core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite,
    _ origin: Origin?
  ) {
    unsafe payloads = PayloadRun(payload)  // Reason: initialization.
    (self.core, self.site) = (core, site)
    super.init(name: name, origin: origin)
  }

  override var label: String { core.name }

  override var count: Int { unsafe payloads.count }  // Reason: an instantaneous read.

  override func admits(_ core: ObserverList, at site: CallSite) -> Bool {
    let hasRoom = unsafe payloads.hasRoom  // Reason: an instantaneous read.
    return hasRoom && origin == nil && self.core === core && self.site.isSame(as: site)
  }

  /// Adds an event to a run that admits it, under the lock of the queue.
  func append(_ payload: Payload) {
    unsafe payloads.append(payload)  // Reason: does not use the run.
  }

  override func deliverNext(on isolation: (any Actor)?) -> Bool {
    let payload = unsafe payloads.removeFirst()  // Reason: instantaneous, before the post.
    // The bus may have been released, and its observers with it. A weak reference would cost more than the
    // rest of the event.
    if !core.busState.isReleased { deliver(payload, on: isolation) }
    return unsafe payloads.count > 0  // Reason: an instantaneous read.
  }

  private func deliver(_ payload: Payload, on isolation: (any Actor)?) {
    guard let origin else {
      _ = core.send(payload, from: nil, excluding: nil, at: site, on: isolation)
      return
    }
    var delivery = Delivery(at: site, from: origin.sender?.id, on: isolation)
    delivery.waitedFrom = origin.sender
    func post() { core.sendInOrder(payload, from: nil, delivery, enqueued: origin.followed) }
    if origin.isFromHook { RunningHook.deliver(post) } else { post() }
  }
}
