/// A single event that is posted and observed without a name.
///
/// Use a signal as a stored property of the object that sends it:
///
/// ```swift
/// final class Export: Sendable {
///   let didFinish = Signal<Int>()
///   func run() { didFinish.send(42) }
/// }
///
/// let export = Export()
/// let token = export.didFinish.observe { count in print(count) }
/// export.run()
/// ```
///
/// Any code with access to the signal may send. When the signal is released, its tokens become inert. A
/// signal obtained from a bus lasts as long as that bus.
///
/// ## Thread safety
///
/// As for ``EventBus/EventBus``: every member may be called on any thread, sending takes no lock, and
/// handlers run in the isolation of their closure.
public final class Signal<Payload: Sendable>: Sendable {
  @usableFromInline
  let core: SignalCore<Payload>
  private let ownsCore: Bool

  /// Creates a signal without observers.
  ///
  /// - Parameters:
  ///   - label: The name of the signal in messages.
  ///   - hooks: The callbacks for errors, unhandled events and traces.
  public init(label: String = "", hooks: EventHooks = EventHooks()) {
    core = SignalCore(name: label, hub: Hub(label: label, hooks: hooks))
    ownsCore = true
    core.hub.identify(as: ObjectIdentifier(self))
  }

  init(core: SignalCore<Payload>) {
    self.core = core
    ownsCore = false
  }

  deinit {
    if ownsCore { core.close() }
  }

  /// The number of registrations, including those whose owner has died but which were not yet removed.
  ///
  /// - Complexity: O(1).
  public var observerCount: Int { core.count }

  /// Whether a post with a sender takes the shortest path, through the slots of a single priority.
  package var isPlain: Bool { core.isPlain && core.hub.isPlain }

  /// The number of slots used by observers for any sender.
  package var slotCount: Int { core.slotCount }

  /// Stops the program if the list of observers is inconsistent; called while nothing else uses it.
  package func _checkInvariants() { core._checkInvariants() }

  /// Calls every observer, in order.
  ///
  /// Delivers the event as `post(_:_:)` of an ``EventBus/EventBus`` does.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - sender: The sender of the event, which is not retained.
  ///   - token: A registration to leave out, such as the sender's own.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers. No lock, and no allocation for handlers that are
  ///   not bound to an actor.
  @inlinable
  @discardableResult
  public func send(
    _ payload: Payload,
    from sender: AnyObject? = nil,
    excluding token: Token? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    core.send(
      payload,
      from: sender,
      excluding: token,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
  }

  /// Calls every observer of a signal without a payload, in order.
  ///
  /// - Parameters:
  ///   - sender: The sender of the event, which is not retained.
  ///   - token: A registration to leave out, such as the sender's own.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers.
  @inlinable
  @discardableResult
  public func send(
    from sender: AnyObject? = nil,
    excluding token: Token? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int where Payload == Void {
    send((), from: sender, excluding: token, fileID: fileID, line: line, isolation: isolation)
  }
}
