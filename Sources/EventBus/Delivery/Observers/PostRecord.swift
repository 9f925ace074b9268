/// What becomes of one event at its observers.
///
/// Every observer, queue and replay reports here, and only here; the outcome of a post that waits and the
/// traces of hooks both come from these reports. A ``Post`` refers to a record only if its poster waits or
/// hooks follow the post. The hooks' part is in a subclass; the overridable members of this class do
/// nothing, and call handlers directly.
@usableFromInline
package class PostRecord: @unchecked Sendable {  // Reason: constant.
  /// What a poster waits for; `nil` if it does not wait.
  package final let completion: Completion?

  /// Creates a record that no hook follows.
  package init(_ completion: Completion?) { self.completion = completion }

  // MARK: Receptions

  /// Records the outcome at an observer that the post met.
  ///
  /// - Parameters:
  ///   - reception: The outcome; an event that waits may still miss its handler.
  ///   - sink: The sink of the observer.
  ///   - list: The list in which the post met the observer.
  ///   - post: The origin of the event.
  package final func met(
    _ reception: Reception,
    at sink: AnySink,
    in list: ObserverList,
    _ post: Post
  ) {
    completion?.met(reception, at: sink.number, in: list)
    if !reception.isReached { missed(reception, by: Receiver(sink, on: post.actor)) }
  }

  /// Records the outcome of the event as a recorded one, at a new observer.
  package final func replayed(_ reception: Reception, at sink: AnySink) {
    completion?.settle(reception, at: sink.number, isReplay: true)
    missed(reception, by: Receiver(sink, on: nil))
  }

  // MARK: Hooks

  /// A Boolean value that indicates whether hooks follow the post.
  var isFollowed: Bool { false }

  /// A Boolean value that indicates whether interceptors, which may prevent a call, surround the handlers.
  var isIntercepted: Bool { false }

  /// Reports that the event waits.
  package func queued(for receiver: Receiver) {}

  /// Reports that a consumer takes the event from a stream.
  package func taken(by receiver: Receiver) {}

  /// Reports an observer that the event did not reach; does nothing for others.
  package func missed(_ reception: Reception, by receiver: Receiver) {}

  /// Runs code that continues the post after it has returned.
  package func resume(_ body: () -> Void) { body() }

  /// Surrounds the call of a handler.
  ///
  /// - Parameters:
  ///   - receiver: The registration of the handler.
  ///   - refusal: Called just before the handler; returns the reason for not calling it, if there is one.
  ///   - body: Calls the handler.
  /// - Returns: The outcome; ``Reception/intercepted`` if an interceptor has prevented the call.
  /// - Throws: The error of the handler.
  package func call(
    _ receiver: Receiver,
    unless refusal: () -> Reception? = { nil },
    _ body: () throws -> Reception
  ) throws -> Reception {
    try refusal() ?? body()
  }

  /// Surrounds the call of an asynchronous handler, after the post has returned.
  ///
  /// - Parameters:
  ///   - receiver: The registration of the handler.
  ///   - refusal: Returns the reason for not calling the handler, if there is one.
  ///   - body: Calls the closure that it receives on the handler's actor, and then the handler, unless the
  ///     closure returns a reason for not calling it.
  /// - Returns: The outcome; ``Reception/intercepted`` if an interceptor has prevented the call.
  /// - Throws: The error of the handler.
  func callAsync(
    _ receiver: Receiver,
    unless refusal: @escaping Refusal,
    _ body: (@escaping Refusal) async throws -> Reception
  ) async throws -> Reception {
    try await body(refusal)
  }
}

/// Returns the reason for not calling a handler that is about to be called; `nil` if there is none.
package typealias Refusal = @Sendable () -> Reception?
