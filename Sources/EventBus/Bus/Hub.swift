public import Synchronization

/// What the signals of one bus share: the numbering, the hooks, the mailboxes of the actors.
@usableFromInline
final class Hub: Sendable {
  /// Set while somebody observes every event.
  static let wildcards: UInt = 1
  /// Set when there is a trace hook.
  static let traced: UInt = 2

  let label: String
  let hooks: EventHooks
  let numbers = RegistrationCounter()
  /// How many envelopes wait in all mailboxes.
  @usableFromInline
  let waiting = WaitingCount()
  @usableFromInline
  let tellsUnhandled: Bool
  /// Not zero when every post of the bus must take the general path.
  @usableFromInline
  let peculiarities: Atomic<UInt>
  private let mailboxes = ActorTable<Mailbox>()
  private let queues = ActorTable<EventQueue>()
  private let unisolated = EventQueue(nil)
  @usableFromInline
  let hasWarned = Atomic<Bool>(false)

  init(label: String, hooks: EventHooks) {
    self.label = label
    self.hooks = hooks
    tellsUnhandled = hooks.onUnhandled != nil
    peculiarities = Atomic(hooks.onTrace == nil ? 0 : Self.traced)
  }

  /// Whether nothing is to be done at every post.
  @inlinable
  var isPlain: Bool { peculiarities.load(ordering: .acquiring) == 0 }

  /// Takes note whether somebody observes every event.
  ///
  /// Called with the lock held that guards those observers.
  func noteWildcards(_ areThere: Bool) {
    let areKnown = peculiarities.load(ordering: .relaxed) & Self.wildcards != 0
    if areKnown == areThere { return }
    if areThere {
      peculiarities.bitwiseOr(Self.wildcards, ordering: .sequentiallyConsistent)
    } else {
      peculiarities.bitwiseAnd(~Self.wildcards, ordering: .sequentiallyConsistent)
    }
  }

  /// The mailbox of an actor, made if there is none.
  func mailbox(of actor: any Actor) -> Mailbox {
    mailboxes.member(of: actor) { Mailbox(actor, waiting: waiting) }
  }

  /// Whether posts that seem to nest without end are looked at: until somebody was warned.
  @inlinable
  var watchesNesting: Bool { !hasWarned.load(ordering: .relaxed) }

  /// Writes once that posts nest without end.
  func warnOfNesting(_ frame: PostFrame) {
    guard !hasWarned.exchange(true, ordering: .acquiringAndReleasing) else { return }
    StandardError.print(
      "EventBus: posts are nested \(frame.depth) deep: … → "
        + frame.chain.joined(separator: " → ")
        + ". A handler posts what leads back to it; break the circle or enqueue the event."
    )
  }

  /// How many events wait for handlers on actors.
  var waitingCount: Int { waiting.count.load(ordering: .acquiring) }

  /// How many events found their owner dead when their turn came.
  var lostCount: Int { waiting.lost.load(ordering: .relaxed) }

  /// The queue of an isolation, made if there is none; that of no isolation for an actor that is being
  /// destroyed, which nothing may keep.
  func queue(of isolation: (any Actor)?) -> EventQueue {
    guard let isolation else { return unisolated }
    if let known = queues.member(of: isolation) { return known }
    if WeakActor(isolation).isGone { return unisolated }
    return queues.member(of: isolation) { EventQueue(isolation) }
  }

  /// Opens what waits for an actor, on that actor.
  @usableFromInline
  func drainMailbox(of actor: any Actor) {
    mailboxes.member(of: actor)?.drain()
  }

  /// How many times, one inside the other, what waits for an actor is being opened; asked on it.
  func openings(on actor: any Actor) -> Int {
    mailboxes.member(of: actor)?.openings ?? 0
  }

  /// Tells of an error that a handler threw.
  func report(_ failure: HandlerFailure) {
    guard let hook = hooks.onError, !HookCall.isRunning else {
      return StandardError.print("EventBus: \(failure)")
    }
    HookCall.run { hook(failure) }
  }

  /// Tells of an event that reached no handler.
  func unhandled(_ event: AnyEvent) {
    guard let hook = hooks.onUnhandled, !HookCall.isRunning else { return }
    HookCall.run { hook(event) }
  }
}
