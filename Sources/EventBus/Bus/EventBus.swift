/// A channel for typed notifications between code that posts events and code that observes them.
///
/// ```swift
/// extension EventNames {
///   static let userDidLogIn = EventName<String>("user.didLogIn")
/// }
///
/// let bus = EventBus()
/// let token = bus.observe(.userDidLogIn) { user in print("hello \(user)") }
/// bus.post(.userDidLogIn, "Ada")
/// token.cancel()
/// ```
///
/// A registration lasts as long as its ``Token``, or, with `owner:`, as long as its owner. When the bus is
/// released, its tokens become inert.
///
/// ## Thread safety
///
/// Every member may be called on any thread, from a handler and from a `deinit`. Posting takes no lock,
/// except to find the observers of a sender.
/// Handlers run in the isolation of their closure, with no lock held: on the posting thread, or on their
/// actor.
public final class EventBus: Sendable {
  /// The shared bus of the process.
  public static let `default` = EventBus(label: "default")

  /// The name of the bus in messages.
  public var label: String { busState.label }

  @usableFromInline
  let busState: BusState
  @usableFromInline
  let table = ObjectTable()
  /// The observers of every event.
  package let wildcards: SignalCore<AnyEvent>

  /// Creates a bus without observers.
  ///
  /// - Parameters:
  ///   - label: The name of the bus in messages.
  ///   - hooks: The callbacks for errors, unhandled events and traces.
  public init(label: String = "", hooks: EventHooks = EventHooks()) {
    busState = BusState(label: label, hooks: hooks)
    wildcards = SignalCore(name: "*", busState: busState, isForEveryEvent: true)
    busState.identify(as: ObjectIdentifier(self))
  }

  deinit {
    busState.release()
    wildcards.close()
    for object in table.objects { (object as? ObserverList)?.close() }
    // Last, because they hear of the events that waited.
    busState.removeAddedHooks()
  }

  /// Passes a message of a library to ``EventHooks/onMessage``, or to standard error if no hook takes it.
  package func report(_ message: String) { busState.message(message) }

  /// Adds hooks to the bus, for as long as a token lives.
  ///
  /// Hooks of several installations are all called, in the order of installation, after those that the bus
  /// was made with. A hook may remove itself while it runs. Hooks are not called for what happens while
  /// their token is paused, but still count as installed: while there is a paused ``EventHooks/onError``,
  /// errors are not written to standard error.
  ///
  /// ```swift
  /// let token = EventBus.default.addHooks(EventHooks(onTrace: { step in print(step) }))
  /// EventBus.default.post(EventName<Int>("sample"), 1)
  /// token.cancel()
  /// ```
  ///
  /// - Parameter hooks: The callbacks.
  /// - Returns: The token. Dropping it removes the hooks; their closures are released under no lock.
  /// - Complexity: O(*n*) in the number of installed hooks.
  public func addHooks(_ hooks: EventHooks) -> Token { busState.addHooks(hooks) }

  /// Returns the signal of a name, with which to send and observe without a lookup.
  ///
  /// The signal does not keep the bus alive. Once the bus is released, the signal reaches no observer.
  ///
  /// - Parameter name: The name of the event.
  /// - Returns: The signal through which this bus delivers the event.
  /// - Complexity: O(1).
  public func signal<Payload>(_ name: EventName<Payload>) -> Signal<Payload> {
    core(of: name).sharedSignal()
  }

  /// Calls a handler for every event of the bus, in the same order as the observers of its name.
  ///
  /// Such observers do not count as having handled an event: a post that reaches only them returns zero and
  /// is reported to ``EventHooks/onUnhandled``.
  ///
  /// - Parameters:
  ///   - priority: The priority. Observers of equal priority are called in the order of registration, across
  ///     all names.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the event, in the closure's isolation.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of such observers if some have a lower priority. While
  ///   there are any, posts of this bus take the general
  ///   path.
  public func observeAll(
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(nil, priority.rawValue, at: CallSite(fileID, line))
    return wildcards.observe(request, handler)
  }

  /// Calls a handler for every event of the bus while its owner is alive.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime the registration shares, held weakly.
  ///   - priority: The priority, as for the form without an owner.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call with the owner and the event, in the closure's isolation.
  /// - Returns: The token, which may be dropped without ending the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of such observers if some have a lower priority. While
  ///   there are any, posts of this bus take the general
  ///   path.
  @discardableResult
  public func observeAll<Owner: AnyObject & Sendable>(
    owner: Owner,
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(nil, priority.rawValue, at: CallSite(fileID, line))
    return wildcards.observe(request, where: nil, owner: owner, handler)
  }

  /// Calls a handler on an actor for every event of the bus while the actor is alive.
  ///
  /// Use this form in an actor that observes events itself: the handler is isolated to the actor that it
  /// receives and need not capture it, so that the registration does not keep the actor alive.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - priority: The priority, as for the form without an owner.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  ///   - handler: The closure to call on the actor, with the actor and the event.
  /// - Returns: The token, which may be dropped without ending the registration.
  /// - Complexity: Amortized O(1); O(*n*) in the number of such observers if some have a lower priority. While
  ///   there are any, posts of this bus take the general
  ///   path.
  @discardableResult
  public func observeAll<Owner: Actor>(
    owner: Owner,
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(nil, priority.rawValue, at: CallSite(fileID, line))
    return wildcards.observe(request, where: nil, actor: owner, handler)
  }

  /// Registers with the core of an event, without retaining it.
  ///
  /// The result is a token, since the optional of a generic result would be looked up at every call.
  func withCore<Payload>(
    of name: EventName<Payload>,
    _ register: (SignalCore<Payload>) -> Token
  ) -> Token {
    table.with(name.index, register) ?? register(core(of: name))
  }

  @usableFromInline
  func core<Payload>(of name: EventName<Payload>) -> SignalCore<Payload> {
    let known = table.with(name.index) { (core: SignalCore<Payload>) in core }
    if let known { return known }
    let core = table.object(name.index) {
      SignalCore<Payload>(
        name: name.name,
        busState: busState,
        wildcards: wildcards,
        interned: name.interned
      )
    }
    name.interned.add(core)
    return core
  }
}
