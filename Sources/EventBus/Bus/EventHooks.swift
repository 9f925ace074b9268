internal import Synchronization

/// Callbacks for errors, unhandled events and traces.
///
/// Hooks are called with no lock held, on the thread on which the reported error or event occurred. A hook
/// may use the bus; errors, events and posts inside a hook are not reported to hooks.
public struct EventHooks: Sendable {
  /// Called with every error that a handler throws.
  ///
  /// Without this hook, the bus writes a line to standard error. An error that is thrown on the same thread
  /// while a hook runs is also written to standard error, and not reported to hooks.
  public var onError: (@Sendable (HandlerFailure) -> Void)?
  /// Called with every event that reached no handler.
  public var onUnhandled: (@Sendable (AnyEvent) -> Void)?
  /// Called with every step of every post.
  ///
  /// Tracing has no cost while this hook is `nil`.
  public var onTrace: (@Sendable (TraceEvent) -> Void)?
  /// Called once per name, when its number of observers first exceeds ``manyObserversThreshold``.
  ///
  /// Many observers often mean that some code registers repeatedly without ending its registrations.
  public var onManyObservers: (@Sendable (_ name: String, _ count: Int) -> Void)?
  /// The number of observers of one name above which ``onManyObservers`` is called; 1,000 by default.
  public var manyObserversThreshold = 1_000

  /// Creates hooks without callbacks.
  public init() {}
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

  /// Creates an event.
  public init(
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

  /// Creates a description of a failure.
  public init(error: any Error, event: AnyEvent, registeredAt: SourceSite) {
    self.error = error
    self.event = event
    self.registeredAt = registeredAt
  }

  /// A line with the event, the source sites of post and registration, and the error.
  public var description: String {
    "The handler registered at \(registeredAt) failed on \"\(event.name)\" posted at \(event.site): \(error)"
  }
}

/// A running call of a hook; recorded so that a failure inside a hook does not call the hook again.
final class HookCall: Sendable {
  @TaskLocal private static var current: HookCall?
  private let hasReturned = Atomic<Bool>(false)

  /// Whether the caller runs inside a hook.
  ///
  /// This is `false` in a task that a hook started, once the hook has returned.
  static var isRunning: Bool {
    guard let current else { return false }
    return !current.hasReturned.load(ordering: .acquiring)
  }

  static func run(_ hook: () -> Void) {
    let call = HookCall()
    $current.withValue(call, operation: hook)
    call.hasReturned.store(true, ordering: .releasing)
  }
}
