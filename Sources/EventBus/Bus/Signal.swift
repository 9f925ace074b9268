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
/// Any code with access to the signal may send. To publish only the right to observe, publish ``readOnly``.
/// When the signal is released, its tokens become inert. A signal obtained from a bus lasts as long as that
/// bus.
///
/// ## Thread safety
///
/// As for ``EventBus/EventBus``: every member may be called on any thread, sending takes no lock except to find the observers of a sender, and
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
    core = SignalCore(name: label, busState: BusState(label: label, hooks: hooks))
    ownsCore = true
    core.busState.identify(as: ObjectIdentifier(self))
  }

  init(core: SignalCore<Payload>) {
    self.core = core
    ownsCore = false
  }

  deinit {
    if ownsCore { core.close() }
  }

  /// A view of the signal that can observe but not send.
  ///
  /// - Complexity: O(1).
  public var readOnly: ReadOnly { ReadOnly(core: core) }

  /// Whether a post with a sender takes the shortest path, through one block of sinks.
  package var isPlain: Bool { core.isPlain && core.busState.isPlain }

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
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers. No lock unless both the event and some observers have
  ///   a sender, and no allocation for handlers that the posting code calls.
  @inlinable
  @discardableResult
  public func send(
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    core.send(payload, from: sender, excluding: nil, at: CallSite(fileID, line), on: isolation)
  }

  /// Calls every observer but one.
  ///
  /// - Returns: The number of handlers that the event reached.
  @discardableResult
  package func send(
    _ payload: Payload,
    from sender: AnyObject? = nil,
    excluding token: Token?,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    core.send(payload, from: sender, excluding: token, at: CallSite(fileID, line), on: isolation)
  }

  /// Calls every observer of a signal without a payload, in order.
  ///
  /// - Parameters:
  ///   - sender: The sender of the event, which is not retained.
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
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int where Payload == Void {
    send((), from: sender, fileID: fileID, line: line, isolation: isolation)
  }
}

extension Signal: ReadableSignal {
  /// A view of a signal that can observe but not send.
  ///
  /// Keep the signal private and publish this value:
  ///
  /// ```swift
  /// final class Download: Sendable {
  ///   private let finish = Signal<Int>()
  ///   var didFinish: Signal<Int>.ReadOnly { finish.readOnly }
  ///   func run() { finish.send(42) }
  /// }
  ///
  /// let download = Download()
  /// let token = download.didFinish.observe { count in print(count) }
  /// download.run()
  /// ```
  ///
  /// The value is one reference, and does not keep the signal alive. Once the signal is released, a new
  /// registration has already ended, and a new stream has no elements.
  ///
  /// ## Thread safety
  ///
  /// As for the ``Signal``.
  public struct ReadOnly: ReadableSignal {
    @usableFromInline
    let core: SignalCore<Payload>

    /// This value.
    public var readOnly: ReadOnly { self }
  }
}

/// A signal that can be observed: a ``Signal``, or its ``Signal/ReadOnly`` value, which cannot send.
///
/// Both observe in the same way, because every member for it is declared here. Write a function that takes
/// either as `func show(_ events: some ReadableSignal<Int>)`.
///
/// ## Thread safety
///
/// As for the ``Signal``.
public protocol ReadableSignal<Payload>: Sendable {
  /// The type of the payload.
  associatedtype Payload: Sendable

  /// A view of the signal that can observe but not send.
  var readOnly: Signal<Payload>.ReadOnly { get }
}

extension ReadableSignal {
  /// The number of registrations, including those whose owner has died but which were not yet removed.
  ///
  /// - Complexity: O(1).
  public var observerCount: Int { readOnly.core.count }
}
