/// What came of one post so far.
@usableFromInline
package struct DeliveryTally: Sendable {
  /// How many handlers were called or have the event in their queue.
  @usableFromInline
  package var reached: Int
  /// Whether an observer was met whose owner has died.
  @usableFromInline
  package var metLostOwner: Bool

  /// Nothing yet.
  @inlinable
  package init() {
    reached = 0
    metLostOwner = false
  }

  /// Hands the event to one observer and notes what came of it.
  ///
  /// - Parameters:
  ///   - observer: The observer; passed over when it is not receptive.
  ///   - failed: Told of an error the handler throws.
  ///   - hand: Calls the observer.
  /// - Returns: What came of it.
  @inlinable
  @discardableResult
  package mutating func hand<Payload>(
    to observer: Observer<Payload>,
    failed: (any Error, AnyObserver) -> Void,
    _ hand: (Observer<Payload>) throws -> Reception
  ) -> Reception {
    guard observer.isReceptive else { return .paused }
    do {
      let reception = try hand(observer)
      reached &+= reception.reached
      if reception == .ownerLost { metLostOwner = true }
      return reception
    } catch {
      reached &+= 1
      failed(error, observer)
      return .failed
    }
  }
}
