internal import Synchronization

/// What a bus tells its maker: nothing is lost in silence.
///
/// Hooks are called outside every lock, on the thread where the thing happened. A hook may use the bus;
/// what happens inside a hook is not told to hooks again.
public struct EventHooks: Sendable {
  /// Told of every error a handler throws.
  ///
  /// Without it one line goes to standard error. An error that comes up while a hook is running on this
  /// thread goes to standard error, and is not told again.
  public var onError: (@Sendable (HandlerFailure) -> Void)?
  /// Told of every event that reached no handler.
  public var onUnhandled: (@Sendable (AnyEvent) -> Void)?
  /// Told of every step of every post.
  ///
  /// Without it posts pay nothing for it.
  public var onTrace: (@Sendable (TraceEvent) -> Void)?
  /// Told once a name, when it first has more observers than ``manyObserversThreshold``: a sign that
  /// somebody registers again and again.
  public var onManyObservers: (@Sendable (_ name: String, _ count: Int) -> Void)?
  /// How many observers of one name are not yet many: 1,000.
  public var manyObserversThreshold = 1_000

  /// Hooks that do nothing.
  public init() {}
}

/// An event whose payload type is not known at compile time.
public struct AnyEvent: Sendable {
  /// The name's string, or the label of a signal without a name.
  public let name: String
  /// What the event carries.
  public let payload: any Sendable
  /// The identity of the sender, which is not kept alive.
  public let sender: ObjectIdentifier?
  /// Where the event was posted.
  public let site: SourceSite

  /// Makes an event.
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
/// The other handlers are called all the same; the error goes to ``EventHooks/onError``.
public struct HandlerFailure: Error, CustomStringConvertible {
  /// What was thrown.
  public let error: any Error
  /// The event that was being delivered.
  public let event: AnyEvent
  /// Where the handler was registered.
  public let registeredAt: SourceSite

  /// Describes a failure.
  public init(error: any Error, event: AnyEvent, registeredAt: SourceSite) {
    self.error = error
    self.event = event
    self.registeredAt = registeredAt
  }

  /// One line: the event, where it was posted, where the handler is, and the error.
  public var description: String {
    "The handler registered at \(registeredAt) failed on \"\(event.name)\" posted at \(event.site): \(error)"
  }
}

/// Whether this thread is inside a hook, so that a failure in a hook does not call the hook again.
final class HookCall: Sendable {
  @TaskLocal private static var current: HookCall?
  private let hasReturned = Atomic<Bool>(false)

  /// Whether the caller runs inside a hook.
  ///
  /// A task that a hook has started does not, once it returned.
  static var isRunning: Bool {
    guard let current else { return false }
    return !current.hasReturned.load(ordering: .acquiring)
  }

  /// Calls a hook.
  static func run(_ hook: () -> Void) {
    let call = HookCall()
    $current.withValue(call, operation: hook)
    call.hasReturned.store(true, ordering: .releasing)
  }
}
