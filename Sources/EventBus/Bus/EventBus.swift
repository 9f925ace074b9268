/// Typed notifications: whoever knows a name may post, whoever keeps a token is told.
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
/// A registration lasts as long as its ``Token``, or, with `owner:`, as long as its owner. When the bus
/// dies its tokens become inert.
///
/// ## Thread safety
///
/// Every member may be called on any thread, from inside a handler and from a `deinit`. Posting takes no
/// lock. Handlers run where they were written, outside every lock: on the posting thread, or on their
/// actor.
public final class EventBus: Sendable {
  /// The bus of the process, for those who do not make their own.
  public static let `default` = EventBus(label: "default")

  /// What the bus is called in messages.
  public var label: String { hub.label }

  @usableFromInline
  let hub: Hub
  @usableFromInline
  let table = ObjectTable()
  let wildcards: SignalCore<AnyEvent>

  /// Creates a bus that knows nobody.
  ///
  /// - Parameters:
  ///   - label: A name for messages.
  ///   - hooks: What to tell of errors and of events nobody heard.
  public init(label: String = "", hooks: EventHooks = EventHooks()) {
    hub = Hub(label: label, hooks: hooks)
    wildcards = SignalCore(name: "*", hub: hub, isForEveryEvent: true)
  }

  deinit {
    wildcards.close()
    for object in table.objects { (object as? ObserverList)?.close() }
  }

  /// The signal of a name: resolve it once, then send and observe without a look-up.
  ///
  /// The signal does not keep the bus. Once the bus has died, it reaches nobody.
  ///
  /// - Parameter name: The event.
  /// - Returns: The signal through which this bus delivers that event.
  /// - Complexity: O(1).
  public func signal<Payload>(_ name: EventName<Payload>) -> Signal<Payload> {
    core(of: name).sharedSignal()
  }

  /// Calls a handler for every event of the bus, in the same order as the observers of its name.
  ///
  /// It does not count as somebody who handled the event: a post that reaches only such observers returns
  /// zero and is told to ``EventHooks/onUnhandled``.
  ///
  /// - Parameters:
  ///   - priority: Higher is told first; among equals the order of registration holds, across all names.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with the event, where it was written.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1). While there are such observers, posts of this bus take the general
  ///   path.
  public func observeAll(
    priority: Priority = .normal,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (AnyEvent) -> Void
  ) -> Token {
    let request = ObserveRequest(priority: priority, once: false, fileID: fileID, line: line)
    return wildcards.observe(request, where: nil, handler)
  }

  @usableFromInline
  func core<Payload>(of name: EventName<Payload>) -> SignalCore<Payload> {
    let known = table.with(name.index) { (core: SignalCore<Payload>) in core }
    if let known { return known }
    let core = table.object(name.index) {
      SignalCore<Payload>(
        name: name.rawValue,
        hub: hub,
        wildcards: wildcards,
        interned: name.interned
      )
    }
    name.interned.add(core.proxy)
    return core
  }
}
