/// The parameters of a registration, other than its owner and its handler.
package struct ObserveRequest<Payload: Sendable> {
  /// The source file of the registration.
  package let fileID: StaticString
  /// The source line of the registration.
  package let line: UInt
  /// The only sender whose events are delivered; `nil` for any sender.
  package let sender: AnyObject?
  /// The priority; observers with a higher one are called first.
  package let priority: Int
  /// Whether the registration ends with its first call.
  package let once: Bool
  /// Runs on the posting thread; the event is declined when it returns `false`.
  package let predicate: (@Sendable (Payload) -> Bool)?
  /// The number of events to keep while an asynchronous handler or a consumer is busy.
  package let limit: BufferLimit

  /// Describes a registration.
  package init(
    fileID: StaticString,
    line: UInt,
    sender: AnyObject? = nil,
    priority: Int = 0,
    once: Bool = false,
    predicate: (@Sendable (Payload) -> Bool)? = nil,
    limit: BufferLimit = .unlimited
  ) {
    (self.fileID, self.line, self.sender, self.priority) = (fileID, line, sender, priority)
    (self.once, self.predicate, self.limit) = (once, predicate, limit)
  }

  /// Whether every event is delivered.
  package var isPlain: Bool { !once && sender == nil && predicate == nil }
}

@available(*, unavailable)
extension ObserveRequest: Sendable {}
