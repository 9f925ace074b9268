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
  internal let hub: Hub
  @usableFromInline
  internal let table = ObjectTable()

  /// Creates a bus that knows nobody.
  ///
  /// - Parameters:
  ///   - label: A name for messages.
  ///   - hooks: What to tell of errors and of events nobody heard.
  public init(label: String = "", hooks: EventHooks = EventHooks()) {
    hub = Hub(label: label, hooks: hooks)
  }

  deinit {
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
    Signal(core: core(of: name))
  }

  internal func core<Payload>(of name: EventName<Payload>) -> SignalCore<Payload> {
    let known = table.with(name.index) { (core: SignalCore<Payload>) in core }
    if let known { return known }
    return table.object(name.index) { SignalCore<Payload>(name: name.rawValue, hub: hub) }
  }
}
