/// Callbacks for errors, unhandled events, traces and messages, and an interceptor of handlers.
///
/// Give hooks to a bus when it is made, or add them to any bus with ``EventBus/addHooks(_:)``. All hooks of a
/// bus are called, in the order of installation.
///
/// Hooks are called with no lock held, on the thread on which the reported error or event occurred.
///
/// ## What hooks cause
///
/// A hook may use the bus. What happens inside a hook is not reported to hooks; otherwise, a hook could cause
/// its own reports without end. This includes an event that the hook posts or enqueues, and what its handlers
/// post while it is delivered. What happens later is reported again:
///
/// - A handler that runs later than the delivery, on its actor or asynchronously, is reported like any other.
/// - An event that a handler enqueues belongs to a later turn, and is reported like any other.
///
/// If an event of a hook leads to another report of the same kind in this way, the hook is called once in
/// each turn.
public struct EventHooks: Sendable {
  /// Called with every error that a handler throws.
  ///
  /// While no hooks of the bus have this callback, an error becomes a line for ``onMessage``, or on standard
  /// error. An error that is thrown on the same thread while a hook runs is written to standard error, and
  /// not reported to hooks.
  public var onError: (@Sendable (HandlerFailure) -> Void)?
  /// Called with every event that reached no handler.
  ///
  /// Not called for events whose name asks for replay, nor for the lifecycle events of LaunchLoader and
  /// Theming.
  public var onUnhandled: (@Sendable (AnyEvent) -> Void)?
  /// Called with every step of every post.
  ///
  /// Tracing has no cost while no hooks of the bus have this callback. Posts that began earlier are not
  /// traced.
  public var onTrace: (@Sendable (TraceStep) -> Void)?
  /// Called with every line that the bus would otherwise write to standard error.
  ///
  /// These are errors without ``onError``, warnings, and errors of theme managers that post on the bus. There are warnings
  /// about:
  ///
  /// - buffers of less than one event, and interceptors that run a handler twice;
  /// - a mailbox, a stream or another queue in which more than 10,000 events wait, and again each time that they are twice
  ///   as many;
  /// - more than 1,000 posts inside each other, or fewer that have used three quarters of the stack, once until all of
  ///   them have returned;
  /// - handlers of queues that have caused each other's events in 100,000 turns, once for each such chain.
  ///
  /// Errors and warnings inside a hook, and the warnings of properties and timers, which belong to no
  /// bus, are still written to standard error.
  public var onMessage: (@Sendable (String) -> Void)?
  /// Carries a value from each post to its handlers.
  public var interceptor: (any EventInterceptor)?

  /// Creates hooks.
  ///
  /// - Parameters:
  ///   - onError: Called with every error that a handler throws.
  ///   - onUnhandled: Called with every event that reached no handler.
  ///   - onTrace: Called with every step of every post.
  ///   - onMessage: Called with every line that the bus would otherwise write to standard error.
  ///   - interceptor: Carries a value from each post to its handlers.
  public init(
    onError: (@Sendable (HandlerFailure) -> Void)? = nil,
    onUnhandled: (@Sendable (AnyEvent) -> Void)? = nil,
    onTrace: (@Sendable (TraceStep) -> Void)? = nil,
    onMessage: (@Sendable (String) -> Void)? = nil,
    interceptor: (any EventInterceptor)? = nil
  ) {
    (self.onError, self.onUnhandled, self.onTrace) = (onError, onUnhandled, onTrace)
    (self.onMessage, self.interceptor) = (onMessage, interceptor)
  }

  var isEmpty: Bool {
    onError == nil && onUnhandled == nil && onTrace == nil && onMessage == nil
      && interceptor == nil
  }
}

/// An error that a handler threw.
///
/// The other handlers are still called; the error is reported to ``EventHooks/onError``.
public struct HandlerFailure: Error, CustomStringConvertible {
  /// The error.
  public let error: any Error
  /// The event that was being delivered.
  public let event: AnyEvent
  /// The source site of the registration.
  public let registeredAt: SourceSite

  package init(error: any Error, event: AnyEvent, registeredAt: SourceSite) {
    self.error = error
    self.event = event
    self.registeredAt = registeredAt
  }

  /// A line with the event, the source sites of post and registration, and the error.
  ///
  /// Line breaks and other control characters are escaped, for example as `\n`.
  public var description: String {
    "The handler registered at \(registeredAt) failed on \"\(event.name)\" posted at \(event.site): \(error)"
      .onOneLine
  }
}

/// An event whose payload type is not known at compile time.
public struct AnyEvent: Sendable {
  /// The string of the event's name, or the label of a signal without a name.
  public let name: String
  /// The payload.
  public let payload: any Sendable
  /// The identity of the sender, which is not retained.
  public let sender: ObjectIdentifier?
  /// The source site of the post.
  public let site: SourceSite

  package init(
    name: String,
    payload: any Sendable,
    sender: ObjectIdentifier? = nil,
    site: SourceSite
  ) {
    self.name = name
    self.payload = payload
    self.sender = sender
    self.site = site
  }
}
