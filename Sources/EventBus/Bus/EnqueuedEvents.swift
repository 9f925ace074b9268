/// An event that waits in an ``EventQueue``, or a run of events of one source site that differ only in their
/// payloads.
class EnqueuedEvents: @unchecked Sendable {  // Reason: constants; see the subclass.
  /// What is known of an event by itself: one with a sender, one that coalesces, one that hooks follow, or one that a
  /// hook enqueued.
  struct Origin: Sendable {
    /// Information for hooks about an event between its `enqueue` and its delivery.
    struct Followed: Sendable {
      /// The number of the post whose handler enqueued the event.
      let cause: Int?
      /// The values that interceptors captured.
      let interceptions: [Interception]
    }

    /// The identity of the sender.
    let sender: SenderIdentity?
    /// Information for hooks.
    let followed: Followed?
    /// Whether a hook of the bus enqueued the event.
    let isFromHook: Bool
  }

  /// The number of the name.
  let name: Int
  /// The origin; `nil` for a run, whose events are delivered like posts made at the time of their delivery.
  let origin: Origin?
  /// The turns that have led to the events.
  let chain: EventChain

  init(name: Int, origin: Origin?, _ chain: EventChain) {
    (self.name, self.origin, self.chain) = (name, origin, chain)
  }

  /// The string of the event's name, for reports.
  var label: String { "" }

  /// The number of events.
  var count: Int { 1 }

  /// Returns whether an event without an origin may join this run.
  func admits(_ core: ObserverList, at site: CallSite, _ chain: EventChain) -> Bool { false }

  /// Delivers the next event, on the actor of the queue.
  ///
  /// - Returns: `true` if there are more.
  func deliverNext(on isolation: (any Actor)?) -> Bool { false }

  /// Returns whether this event, newly enqueued, replaces waiting ones.
  func replaces(_ waiting: EnqueuedEvents, _ coalescing: Coalescing) -> Bool {
    switch coalescing {
    case .none: false
    case .name: waiting.name == name
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
