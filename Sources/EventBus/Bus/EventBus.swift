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
    // Last: closing the lists discards waiting events, and these hooks report them.
    busState.removeAddedHooks()
  }

  /// Passes a message of a library to ``EventHooks/onMessage``, or to standard error if no hook takes it.
  package func report(_ message: String) { busState.message(message) }

  /// Adds hooks to the bus, for as long as a token lives.
  ///
  /// Hooks of several installations are all called, in the order of installation, after those that the bus
  /// was made with. A hook may remove itself while it runs. Pausing the token silences its hooks without
  /// uninstalling them: with a paused ``EventHooks/onError``, errors are neither reported nor written to
  /// standard error.
  ///
  /// ```swift
  /// let token = EventBus.default.addHooks(EventHooks(onTrace: { step in print(step) }))
  /// EventBus.default.post(EventName<Int>("sample"), 1)
  /// token.cancel()
  /// ```
  ///
  /// - Parameter hooks: The callbacks.
  /// - Returns: The token. Dropping it removes the hooks; their closures are released with no lock held.
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

extension EventBus {
  /// Posts an event by calling every observer of its name, in order.
  ///
  /// Observers are called by priority, then in the order of registration. A post does not call observers
  /// that are added or cancelled while it runs. A post from inside a handler is delivered before that
  /// handler continues.
  ///
  /// Events that wait for the caller's actor are delivered first, so that no event overtakes another. In a
  /// synchronous nonisolated function the compiler knows no isolation, even while the function runs on the
  /// main actor: events that it posts to handlers on an actor are queued.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - payload: The payload.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the post; filled in by the compiler.
  ///   - line: The line of the post.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers of the name. No lock unless both the event and some
  ///   observers have a sender, and no allocation for handlers that the posting code calls.
  @inlinable
  @discardableResult
  public func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let site = CallSite(fileID, line)
    let reached = table.with(name.index) { (core: SignalCore<Payload>) in
      core.send(payload, from: sender, excluding: nil, at: site, on: isolation)
    }
    return reached ?? postUnobserved(name, payload, from: sender, at: site, on: isolation)
  }

  /// Posts an event to all registrations except one, such as that of the bridge that received the event.
  ///
  /// - Returns: The number of handlers that the event reached.
  @discardableResult
  package func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    excluding token: Token?,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let site = CallSite(fileID, line)
    return core(of: name).send(payload, from: sender, excluding: token, at: site, on: isolation)
  }

  /// Posts an event without a payload.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the post; filled in by the compiler.
  ///   - line: The line of the post.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers of the name.
  @inlinable
  @discardableResult
  public func post(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    post(name, (), from: sender, fileID: fileID, line: line, isolation: isolation)
  }

  /// Returns whether a name has observers, other than those of every event.
  ///
  /// For events of the libraries that matter only to code that observes them by name.
  package func hasObservers<Payload>(of name: EventName<Payload>) -> Bool {
    table.with(name.index) { (core: SignalCore<Payload>) in core.count > 0 } ?? false
  }

  /// Posts an event that has never been observed on this bus.
  ///
  /// Small on purpose: inlining the rest would make every such post save and restore registers.
  @usableFromInline
  @inline(never)
  func postUnobserved<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int {
    if !busState.reportsUnhandled, busState.counts.areMailboxesEmpty, busState.isPlain,
      name.interned.replay == 0
    {
      return 0
    }
    return postToNewCore(name, payload, from: sender, at: site, on: isolation)
  }

  /// Posts an event that may matter to this bus although it has never been observed.
  @inline(never)
  private func postToNewCore<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int {
    core(of: name).send(payload, from: sender, excluding: nil, at: site, on: isolation)
  }
}
