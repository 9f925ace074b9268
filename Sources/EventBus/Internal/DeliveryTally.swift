/// What came of one post so far.
@usableFromInline
package struct DeliveryTally: Sendable {
  /// How many handlers were called or have the event in their queue.
  @usableFromInline
  package var reached: Int

  /// Nothing yet.
  @inlinable
  package init() {
    reached = 0
  }

  /// Hands the event to one observer and notes what came of it.
  ///
  /// - Parameters:
  ///   - observer: The observer; passed over when it does not admit the call.
  ///   - list: The list in which the post meets it.
  ///   - failed: Told of an error the handler throws.
  ///   - hand: Calls the observer.
  /// - Returns: What came of it.
  @inlinable
  @discardableResult
  package mutating func hand<Payload>(
    to observer: Observer<Payload>,
    in list: ObserverList,
    failed: (any Error, AnyObserver) -> Void,
    _ hand: (Observer<Payload>) throws -> Reception
  ) -> Reception {
    guard observer.isReceptive || observer.admits(in: list) else { return .paused }
    do {
      let reception = try hand(observer)
      reached &+= reception.reached
      return reception
    } catch {
      reached &+= 1
      failed(error, observer)
      return .failed
    }
  }
}
