public import Synchronization

/// The state that the signals of one bus share: registration numbers, hooks, and the queues of actors.
@usableFromInline
final class Hub: Sendable {
  /// Set while there are observers of every event.
  static let wildcards: UInt = 1
  /// Set when there is a trace hook.
  static let traced: UInt = 2

  let label: String
  let hooks: EventHooks
  let numbers = RegistrationCounter()
  /// The number of envelopes that wait in all mailboxes.
  @usableFromInline
  let waiting = WaitingCount()
  @usableFromInline
  let reportsUnhandled: Bool
  /// Nonzero when every post of the bus must take the general path.
  @usableFromInline
  let specialCases: Atomic<UInt>
  let mailboxes = ActorTable<Mailbox>()
  private let queues = ActorTable<EventQueue>()
  private let unisolated = EventQueue(nil)
  @usableFromInline
  let hasWarned = Atomic<Bool>(false)

  init(label: String, hooks: EventHooks) {
    self.label = label
    self.hooks = hooks
    reportsUnhandled = hooks.onUnhandled != nil
    specialCases = Atomic(hooks.onTrace == nil ? 0 : Self.traced)
  }

  /// Whether posts may take the short path.
  @inlinable
  var isPlain: Bool { specialCases.load(ordering: .acquiring) == 0 }

  /// Records whether there are observers of every event.
  ///
  /// Called with the lock held that guards those observers.
  func noteWildcards(_ exist: Bool) {
    let areKnown = specialCases.load(ordering: .relaxed) & Self.wildcards != 0
    if areKnown == exist { return }
    if exist {
      specialCases.bitwiseOr(Self.wildcards, ordering: .sequentiallyConsistent)
    } else {
      specialCases.bitwiseAnd(~Self.wildcards, ordering: .sequentiallyConsistent)
    }
  }

  /// Returns the mailbox of an actor, and creates it if necessary.
  func mailbox(of actor: any Actor) -> Mailbox {
    mailboxes.member(of: actor) { Mailbox(actor, waiting: waiting) }
  }

  /// Whether to watch for posts that seem to nest without end; `false` after the first warning.
  @inlinable
  var watchesNesting: Bool { !hasWarned.load(ordering: .relaxed) }

  /// Prints a warning about endlessly nested posts, once per bus.
  func warnOfNesting(_ frame: PostFrame) {
    guard !hasWarned.exchange(true, ordering: .acquiringAndReleasing) else { return }
    printError(
      "EventBus: posts are nested \(frame.depth) deep: … → "
        + frame.chain.joined(separator: " → ")
        + ". A handler posts an event that leads back to it; break the cycle or enqueue the event."
    )
  }

  /// The number of events that wait for handlers on actors.
  var waitingCount: Int { waiting.count.load(ordering: .acquiring) }

  /// The number of events whose owner had died by the time they were to be delivered.
  var lostCount: Int { waiting.lost.load(ordering: .relaxed) }

  /// Returns the queue of an isolation, and creates it if necessary.
  ///
  /// An actor that is being destroyed must not be retained; for such an actor, the method returns the queue
  /// of nonisolated code.
  func queue(of isolation: (any Actor)?) -> EventQueue {
    guard let isolation else { return unisolated }
    if let known = queues.member(of: isolation) { return known }
    if WeakActor(isolation).isGone { return unisolated }
    return queues.member(of: isolation) { EventQueue(isolation) }
  }

  /// Delivers the events that wait for an actor; called on that actor.
  @usableFromInline
  func drainMailbox(of actor: any Actor) {
    mailboxes.member(of: actor)?.drain()
  }

  /// Reports an error that a handler threw.
  func report(_ failure: HandlerFailure) {
    guard let hook = hooks.onError, !HookCall.isRunning else {
      return printError("EventBus: \(failure)")
    }
    HookCall.run { hook(failure) }
  }

  /// Reports an event that reached no handler.
  func unhandled(_ event: AnyEvent) {
    guard let hook = hooks.onUnhandled, !HookCall.isRunning else { return }
    HookCall.run { hook(event) }
  }
}
