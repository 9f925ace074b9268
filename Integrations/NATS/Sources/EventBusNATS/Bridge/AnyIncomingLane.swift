/// Carries one event into the process, whatever its payload.
class AnyIncomingLane: @unchecked Sendable {  // Reason: subclasses lock.
  /// Subscribes, or repeats the attempt.
  func start() async throws(LinkFailure) {}
  /// Tells the server that handlers are still running, so that it does not deliver again; on the queue of the bridge.
  func tick(_ now: ContinuousClock.Instant) {}
  /// Drops the subscription, if the server has denied it.
  ///
  /// - Returns: Whether the subject is that of the subscription.
  func drop(_ subject: String) -> Bool { false }
  /// The name of a durable event, and how many events its consumer is behind.
  var lag: (event: String, count: Int)? { nil }
  /// Ends the subscription at once; events that have arrived are not posted.
  func cancel() {}
  /// Ends the subscription, and waits for running handlers.
  func stop() async {}
}
