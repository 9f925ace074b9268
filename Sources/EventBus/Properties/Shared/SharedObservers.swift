internal import Synchronization

/// The observers of a shared property.
///
/// It calls them for the rounds that ``SharedObserved`` delivers, and holds what they share. It knows neither the
/// value nor the pending changes.
package final class SharedObservers<Value: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: the state is locked or atomic.
{
  /// Returns whether two values are equal; `false` if values cannot be compared.
  let areEqual: @Sendable (Value, Value) -> Bool
  private let merged = Atomic<Int>(0)
  /// The threads that are calling handlers outside any turn: on actors and during registrations.
  private let callers = Locked(Set<UInt>())
  private let callerCount = Atomic<Int>(0)
  private let mailboxes = ActorTable<Mailbox>()
  private let waiting = WaitingCount()
  private let hasWarned = Atomic<Bool>(false)
  let site: PropertySite

  init(areEqual: @escaping @Sendable (Value, Value) -> Bool, fileID: StaticString, line: UInt) {
    self.areEqual = areEqual
    site = (fileID, line)
    super.init(numbers: RegistrationCounter())
  }

  /// The number of merged changes, for ``SharedObservedValue/mergedCount``.
  var mergedCount: Int { merged.load(ordering: .relaxed) }

  /// Counts a merged change.
  func countMerged() { merged.wrappingAdd(1, ordering: .relaxed) }

  /// The origin of every round: the property itself.
  func post(on isolation: (any Actor)? = nil) -> Post {
    Post(at: CallSite(site.fileID, site.line), on: isolation)
  }

  /// Adds an observer, whose inbox keeps the changes until it is opened.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner, held weakly.
  ///   - body: Calls the handler.
  /// - Returns: The inbox.
  func add(
    _ request: SharedObserveRequest,
    owner: AnyObject?,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) -> SharedInbox<Value> {
    let mailbox = request.actor.map { actor in
      mailboxes.member(of: actor) { Mailbox(actor, waiting) }
    }
    let registration = ObserverRegistration(self, at: CallSite(request.fileID, request.line))
    let inbox = SharedInbox(of: self, registration, isBound: mailbox != nil)
    let sink = SharedSink(inbox, owner: owner, id: request.id, on: mailbox, body)
    add(sink)
    if let carrier = owner as? any LifetimeOwner { registration.join(carrier.lifetime.members) }
    if let owner, let id = request.id {
      // The latest registration remains, even if two threads register with one identifier at once.
      endAll { $0.number < sink.number && isOwned($0, by: owner, as: id) }
    }
    return inbox
  }

  /// Returns whether an observer belongs to an owner and, if an identifier is given, carries it.
  func isOwned(_ sink: AnySink, by owner: AnyObject, as id: AnyHashable? = nil) -> Bool {
    (sink as? SharedSink<Value>)?.belongs(to: owner, as: id) ?? false
  }

  override func queueIsCrowded(
    _ count: Int,
    of actor: ActorIdentity?,
    registeredAt handler: CallSite
  ) {
    printError(
      "EventBus: \(count) changes of the shared property at \(site.fileID):\(site.line) wait for the actor"
        + " \(actor.map { "\($0)" } ?? "of a handler"), the newest of them for the handler registered at"
        + " \(SourceSite(handler)). The actor is blocked, or slower than the code that sets the property."
    )
  }

  /// Calls the observers for a round.
  ///
  /// - Parameters:
  ///   - round: The round.
  ///   - isolation: The actor on which the caller runs; its handlers are called at once.
  func deliver(_ round: SharedRound<Value>, _ isolation: (any Actor)?) {
    // What waits for the actor comes first.
    if let isolation, !waiting.isZero { mailboxes.member(of: isolation)?.drain() }
    let call: SharedCall<Value> = round
    let post = post(on: isolation)
    _ = deliverInOrder(call, post, from: nil, wildcards: nil, event: { call })
  }

  /// Warns, once, about observers of this property and of others that seem to trigger each other in an endless cycle.
  func warnOnce() {
    if hasWarned.exchange(true, ordering: .relaxed) { return }
    printError(
      "EventBus: the property at \(site.fileID):\(site.line) was set at the end of a chain of more than 100 changes, "
        + "each made by an observer of the one before. Check whether observers trigger each other in an endless cycle."
    )
  }

  // MARK: Calls outside any turn

  /// Returns whether a thread is calling a handler outside any turn.
  func isCalling(on thread: UInt) -> Bool {
    guard callerCount.load(ordering: .relaxed) > 0 else { return false }
    return callers.withLock { $0.contains(thread) }
  }

  /// Makes a call outside any turn.
  ///
  /// - Parameters:
  ///   - chain: The chain of the round.
  ///   - body: The call.
  /// - Returns: The result of the call.
  func calling<Result>(_ chain: SettingChain, _ body: () -> Result) -> Result {
    let thread = currentThreadID()
    callerCount.wrappingAdd(1, ordering: .relaxed)
    let isOutermost = callers.withLock { $0.insert(thread).inserted }
    defer {
      if isOutermost { _ = callers.withLock { $0.remove(thread) } }
      callerCount.wrappingSubtract(1, ordering: .relaxed)
    }
    return chain.calling(body)
  }
}

/// The round for which an observer of a shared property is called; `nil` for the next one that waits in the inbox
/// of the observer.
typealias SharedCall<Value: Sendable> = SharedRound<Value>?

/// The sink of an observer of a shared property: its inbox admits the rounds, and keeps those that wait.
private final class SharedSink<Value: Sendable>: GeneralSink<SharedCall<Value>>,
  @unchecked Sendable  // Reason: constants.
{
  private let inbox: SharedInbox<Value>
  private let ownerID: ObjectIdentifier?
  private let id: AnyHashable?
  private let body: @Sendable (Change<Value>) -> Reception

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - inbox: The inbox.
  ///   - owner: The owner, held weakly.
  ///   - id: The owner's identifier for the registration, so that a later one with the same identifier replaces it.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - body: Calls the handler.
  init(
    _ inbox: SharedInbox<Value>,
    owner: AnyObject?,
    id: AnyHashable?,
    on mailbox: Mailbox?,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) {
    (self.inbox, self.id, ownerID) = (inbox, id, owner.map(ObjectIdentifier.init))
    let request = ObserveRequest(at: inbox.registration.site)
    let admission = Conditions(request, where: inbox.admits, isReplaying: false)
    self.body = body
    super.init(inbox.registration, request, admission, owner: owner, on: mailbox)
  }

  override func call(_ call: SharedCall<Value>) -> Reception { inbox.call(call, body) }

  // The inbox has the change, and releases it as soon as the registration ends.
  override func kept(_ call: SharedCall<Value>) -> SharedCall<Value> { nil }

  override func takeWaiting() -> Discarded? { Discarded((inbox.finish(), super.takeWaiting())) }

  /// Returns whether the registration belongs to an object and, if an identifier is given, carries it.
  ///
  /// Loads no other object: an object at another address is not the owner.
  func belongs(to object: AnyObject, as id: AnyHashable?) -> Bool {
    if let id, self.id != id { return false }
    return ownerID == ObjectIdentifier(object) && owner === object
  }
}
