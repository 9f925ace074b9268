/// The fields that travel with events besides their payloads, as headers of the messages, such as the context of a
/// trace.
///
/// ```swift
/// import EventBusNATS
///
/// enum Request { @TaskLocal static var id = "" }
///
/// var configuration = EventBridge.Configuration()
/// configuration.propagation = EventPropagation {
///   ["request-id": Request.id]
/// } restore: { fields, post in
///   Request.$id.withValue(fields["request-id", default: ""], operation: post)
/// } restoreWhileHandling: { fields, post in
///   await Request.$id.withValue(fields["request-id", default: ""], operation: post)
/// }
/// ```
///
/// `EventBusTracing` has these three closures for the trace headers of W3C: `TraceFields`.
///
/// Names consist of letters, digits, `-` and `_`, and do not begin with `Nats-` or `Event-Bus`; values are of
/// visible ASCII. Other fields, and those that exceed 8 KB, do not travel.
public struct EventPropagation: Sendable {
  let inject: @Sendable () -> [String: String]
  let restore: @Sendable (_ fields: [String: String], _ post: () -> Void) -> Void
  let restoreWhileHandling:
    @Sendable (_ fields: [String: String], _ post: () async -> Void) async -> Void

  /// Creates a propagation.
  ///
  /// - Parameters:
  ///   - inject: Returns the fields of an event; called during the post, in the task of the caller.
  ///   - restore: Posts a received live event, given the headers of its message with names in lowercase; calls
  ///     `post` once, on a queue of the bridge.
  ///   - restoreWhileHandling: The same for a durable event, whose handlers have finished when `post` returns.
  public init(
    inject: @escaping @Sendable () -> [String: String],
    restore: @escaping @Sendable (_ fields: [String: String], _ post: () -> Void) -> Void,
    restoreWhileHandling:
      @escaping @Sendable (_ fields: [String: String], _ post: () async -> Void) async -> Void
  ) {
    (self.inject, self.restore, self.restoreWhileHandling) = (inject, restore, restoreWhileHandling)
  }
}

extension EventPropagation? {
  /// The fields of an event that is being posted.
  func fields() -> [String: String] {
    guard let self else { return [:] }
    return MessageFields.usable(self.inject())
  }

  /// Posts a received live event.
  func restore(_ fields: [String: String], _ post: () -> Void) {
    guard let self else { return post() }
    self.restore(MessageFields.arrived(fields), post)
  }

  /// Posts a received durable event, and waits for its handlers.
  func restore(_ fields: [String: String], _ post: () async -> Void) async {
    guard let self else { return await post() }
    await self.restoreWhileHandling(MessageFields.arrived(fields), post)
  }
}
