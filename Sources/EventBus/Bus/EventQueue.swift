/// The queue of events to be delivered in a later turn of one isolation.
///
/// Only the scheduled turn retains the actor. The actor is therefore not destroyed while events wait.
final class EventQueue: Sendable {
  private let lane = Locked(Lane<EnqueuedEvents>())
  private let actor: WeakActor?
  private let counts: WaitingCount

  init(_ isolation: (any Actor)?, _ counts: WaitingCount) {
    actor = isolation.map(WeakActor.init)
    self.counts = counts
  }

  /// The labels and the numbers of the waiting events.
  var content: [(label: String, count: Int)] {
    lane.withLock { lane in lane.waiting.elements.map { ($0.label, $0.count) } }
  }

  /// Adds an event at the end, or at the position of the first event that it replaces, and schedules a turn
  /// if necessary.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - coalescing: The waiting events that this event replaces.
  /// - Complexity: O(1); O(*n*) in the number of waiting events when it coalesces.
  func add(_ event: EnqueuedEvents, _ coalescing: Coalescing) {
    let replaced = change { lane in
      let replaced =
        coalescing == .none
        ? [] : lane.waiting.replace(by: event) { event.replaces($0, coalescing) }
      if replaced.isEmpty { _ = lane.waiting.append(event) }
      return replaced
    }
    withExtendedLifetime(replaced) {}
  }

  /// Adds an event without a sender at the end, to the last run if nothing but the payload differs, and
  /// schedules a turn if necessary.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - core: The observers of the event.
  ///   - name: The number of the event's name.
  ///   - site: The call that enqueues the event.
  /// - Complexity: Amortized O(1).
  func add<Payload>(
    _ payload: Payload,
    of core: SignalCore<Payload>,
    _ name: Int,
    at site: CallSite
  ) {
    change { lane in
      // The lane keeps it.
      let last = lane.waiting.addressOfLast
      let joins = ObjectAddress.borrow(last) { (run: EnqueuedEvents) in
        run.admits(core, at: site)
      }
      if joins == true {
        // It is of this event, so its payloads have this type.
        ObjectAddress.borrow(last) { (run: EnqueuedRun<Payload>) in run.append(payload) }
      } else {
        _ = lane.waiting.append(core.enqueuedRun.init(payload, core, name, at: site))
      }
    }
  }

  private func change<Result>(_ add: (inout Lane<EnqueuedEvents>) -> Result) -> Result {
    let (result, mustSchedule) = lane.withLock { lane in
      (add(&lane), lane.requestTurn(countedBy: counts))
    }
    if mustSchedule { schedule(on: actor?.actor) }
    return result
  }

  private func schedule(on isolation: (any Actor)?) {
    if actor?.isMain == true {
      // Begins there, without a visit to another thread.
      Task.detached { @MainActor in self.turn(on: MainActor.shared) }
    } else {
      Task.detached { await self.turn(on: isolation) }
    }
  }

  /// Delivers the events that wait now.
  ///
  /// Events enqueued during their delivery wait for another turn.
  private func turn(on isolation: isolated (any Actor)?) {
    var batch = BoundedQueue<EnqueuedEvents>()
    lane.withLock { swap(&$0.waiting, &batch) }
    while let events = batch.popFirst() {
      while events.deliverNext(on: isolation) {}
    }
    if lane.withLock({ $0.endTurn() }) { schedule(on: isolation) } else { counts.endTurn() }
  }
}

extension EventQueue: ActorMember {
  func serves(_ actor: any Actor) -> Bool { self.actor?.isSame(as: actor) ?? false }

  var isAbandoned: Bool { actor?.isGone ?? false }
}

extension BoundedQueue {
  /// Replaces the first element that matches, and removes the others.
  ///
  /// - Returns: The removed elements; none if no element matches. The caller releases them outside its lock.
  /// - Complexity: O(*n*) in the number of elements.
  fileprivate mutating func replace(by element: Element, where isMatch: (Element) -> Bool)
    -> [Element]
  {
    guard let first = storage[head...].firstIndex(where: { $0.map(isMatch) ?? false })
    else { return [] }
    var removed = [storage[first].take()].compactMap(\.self)
    storage[first] = element
    let rest = storage[(first + 1)...]
    let kept = rest.filter { waiting in
      guard let waiting, isMatch(waiting) else { return true }
      removed.append(waiting)
      return false
    }
    if kept.count < rest.count { storage.replaceSubrange((first + 1)..., with: kept) }
    return removed
  }
}

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
    if !core.hub.isReleased {
      _ = core.send(payload, from: nil, excluding: nil, at: site, on: isolation)
    }
    return unsafe payloads.count > 0  // Reason: an instantaneous read.
  }
}
