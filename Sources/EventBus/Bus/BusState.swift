public import Synchronization

/// The state that the signals of one bus share: counts, hooks, and the queues of actors.
@usableFromInline
final class BusState: Sendable {
  /// Set while there are observers of every event.
  static let wildcards: UInt = 1
  /// Set while there is a trace hook.
  static let traced: UInt = 2
  /// Set while there is an interceptor.
  static let intercepted: UInt = 4
  /// Added for each running hook whose posts would otherwise take the short path; the bits above count them.
  static let oneHook: UInt = 8

  /// Set in ``reports`` while there is a hook for unhandled events.
  @inlinable static var unhandled: UInt { 1 }

  let label: String
  /// The installed hooks; changed and read in `BusState+Hooks.swift`.
  let hookList: Locked<HookList>
  @usableFromInline
  let counts = ListCounts()
  /// The flags of the reports that hooks ask for, other than those that make posts take the general path.
  @usableFromInline
  let reports: Atomic<UInt>
  /// Nonzero when every post of the bus must take the general path.
  @usableFromInline
  let hookCases: Atomic<UInt>
  let mailboxes = ActorTable<Mailbox>()
  /// The events that code without an actor has enqueued.
  private let unisolated = LazyReference<Mailbox>()
  private let hasLostBus = Atomic<Bool>(false)
  /// The class of the owner that was last found to have no lifetime; its objects tend to register one after
  /// another, and asking the runtime takes longer than adding the observer to the list.
  private let classWithoutLifetime = Atomic<UInt>(0)

  init(label: String, hooks: EventHooks) {
    self.label = label
    var list = HookList()
    if !hooks.isEmpty { list.append(InstalledHooks(hooks)) }
    reports = Atomic(list.reports)
    hookCases = Atomic(list.hookCases)
    hookList = Locked(list)
  }

  /// Whether the bus has been released.
  var isReleased: Bool { hasLostBus.load(ordering: .acquiring) }

  /// Notes that the bus is being released.
  func release() { hasLostBus.store(true, ordering: .releasing) }

  /// Whether there is a hook for unhandled events.
  @inlinable
  var reportsUnhandled: Bool { reports.load(ordering: .relaxed) & Self.unhandled != 0 }

  /// Whether hooks follow posts.
  var isFollowed: Bool {
    hookCases.load(ordering: .acquiring) & (Self.traced | Self.intercepted) != 0
  }

  /// Whether posts may take the short path.
  @inlinable
  var isPlain: Bool { hookCases.load(ordering: .acquiring) == 0 }

  /// Records whether there are observers of every event.
  ///
  /// Called while the lock that guards those observers is held.
  func noteWildcards(_ exist: Bool) {
    noteHookCases(exist ? Self.wildcards : 0, of: Self.wildcards)
  }

  /// Sets some of the flags and clears the others of a group.
  ///
  /// Called while the lock that guards the reasons for this group is held.
  func noteHookCases(_ flags: UInt, of group: UInt) {
    let known = hookCases.load(ordering: .relaxed) & group
    if known == flags { return }
    if flags != 0 { hookCases.bitwiseOr(flags, ordering: .sequentiallyConsistent) }
    hookCases.bitwiseAnd(~(group & ~flags), ordering: .sequentiallyConsistent)
  }

  /// Returns the lifetime of an owner, if it has one.
  func lifetime(of owner: AnyObject) -> Lifetime? {
    let ownerClass = UInt(bitPattern: ObjectIdentifier(type(of: owner)))
    if ownerClass == classWithoutLifetime.load(ordering: .relaxed) { return nil }
    if let carrier = owner as? any LifetimeOwner { return carrier.lifetime }
    classWithoutLifetime.store(ownerClass, ordering: .relaxed)
    return nil
  }

  /// Returns the mailbox of an actor, and creates it if necessary.
  func mailbox(of actor: any Actor) -> Mailbox {
    mailboxes.member(of: actor) { Mailbox(actor, counts) }
  }

  /// The names of the enqueued events that wait for a turn, with their numbers.
  var enqueued: [(name: String, count: Int)] {
    (mailboxes.members + (unisolated.object.map { [$0] } ?? [])).flatMap(\.enqueued)
  }

  /// Calls a closure with the mailbox of an isolation, creating it if necessary.
  ///
  /// An actor that is being destroyed must not be retained; for such an actor, the closure receives the mailbox
  /// of nonisolated code.
  func withMailbox(of isolation: (any Actor)?, _ body: (Mailbox) -> Void) {
    if let isolation {
      if mailboxes.with(memberOf: isolation, body) != nil { return }
      if !WeakActor(isolation).isGone { return body(mailbox(of: isolation)) }
    }
    body(unisolated.object { Mailbox(nil, counts) })
  }

  /// Delivers the events that wait for an actor; called on that actor.
  @usableFromInline
  func drainMailbox(of actor: any Actor) {
    guard let mailbox = mailboxes.member(of: actor) else { return }
    // The waiting events are not part of a hook that posts.
    if RunningHook.isRunning { RunningHook.suspend { mailbox.drain() } } else { mailbox.drain() }
  }
}
