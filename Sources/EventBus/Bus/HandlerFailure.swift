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
