/// The result of a post that waited for its handlers.
///
/// ```swift
/// let bus = EventBus()
/// let name = EventName<Void>("document.willClose")
/// let token = bus.observe(name) { await Task.yield() }
/// let outcome = await bus.postAndWait(name)
/// print(outcome.reachedCount, outcome.cancelledCount, outcome.droppedCount)  // 1 0 0
/// token.cancel()
/// ```
///
/// Each handler that the event was meant for is counted in exactly one of ``reachedCount``, ``cancelledCount`` and
/// ``droppedCount``. An event is not meant for a handler whose filter or sender does not match, for a handler
/// with `once: true` whose call another post has used, and for observers of every event.
public struct PostOutcome: Sendable {
  /// The number of handlers that were called, including those that threw an error.
  ///
  /// It includes the streams that accepted the payload, and calls for which the post did not wait: those of
  /// the handler that posted, and, if the waiting task was cancelled, the unfinished ones.
  public internal(set) var reachedCount = 0
  /// The number of handlers whose registration ended before their call began.
  public internal(set) var cancelledCount = 0
  /// The number of handlers for which the event was discarded: by their buffering policy or an interceptor,
  /// because they were paused, or because their owner had died.
  public internal(set) var droppedCount = 0
  /// The errors that handlers threw, in the order of the observers.
  ///
  /// The hooks of the bus receive them as well.
  public internal(set) var errors: [any Error] = []

  init() {}
}

extension PostOutcome {
  mutating func count(_ reception: Reception) {
    switch reception {
    case .called, .failed, .queued: reachedCount += 1
    case .cancelled: cancelledCount += 1
    case .dropped, .paused, .ownerLost, .intercepted: droppedCount += 1
    case .declined, .spent, .excluded, .tooNew, .replayed: break
    }
  }
}
