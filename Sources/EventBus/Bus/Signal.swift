/// One event without a name: what a bus is made of, usable by itself.
///
/// Make it a stored property where a name would only be ceremony:
///
/// ```swift
/// final class Export: Sendable {
///   let didFinish = Signal<Int>()
///   func run() { didFinish.send(42) }
/// }
/// let token = export.didFinish.observe { count in print(count) }
/// ```
///
/// Whoever has the signal may send. When it dies its tokens become inert; a signal that came from a bus
/// lasts as long as that bus.
///
/// ## Thread safety
///
/// As with ``EventBus``: every member from any thread, sending takes no lock, handlers run where they
/// were written.
public final class Signal<Payload: Sendable>: Sendable {
  @usableFromInline
  let core: SignalCore<Payload>
  private let ownsCore: Bool

  /// Creates a signal without observers.
  ///
  /// - Parameters:
  ///   - label: A name for messages.
  ///   - hooks: What to tell of errors and of events nobody heard.
  public init(label: String = "", hooks: EventHooks = EventHooks()) {
    core = SignalCore(name: label, hub: Hub(label: label, hooks: hooks))
    ownsCore = true
  }

  init(core: SignalCore<Payload>) {
    self.core = core
    ownsCore = false
  }

  deinit {
    if ownsCore { core.close() }
  }

  /// How many registrations there are; those whose owners died unnoticed are counted until they are met.
  ///
  /// - Complexity: O(1).
  public var observerCount: Int { core.count }

  /// Whether a post with a sender takes the shortest path: nothing but the slots of one priority.
  package var isPlain: Bool { core.isPlain && core.hub.isPlain }

  /// How many slots the observers for any sender take.
  package var slotCount: Int { core.slotCount }

  /// Calls every observer, in order.
  ///
  /// The same as posting on a bus.
  ///
  /// - Parameters:
  ///   - payload: What the event carries.
  ///   - sender: Who sends. Not kept.
  ///   - token: A registration not to be told, such as the sender's own.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the sender runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached: called, or queued for their actor.
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

  /// Calls every observer of a signal that carries nothing.
  ///
  /// - Parameters:
  ///   - sender: Who sends. Not kept.
  ///   - token: A registration not to be told, such as the sender's own.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the sender runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached: called, or queued for their actor.
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
