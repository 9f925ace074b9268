internal import Synchronization

/// Follows the deliveries of one post on behalf of hooks: reports their steps, and surrounds handlers.
///
/// A ``Delivery`` carries one only while the bus has hooks that follow posts. The members of this class
/// follow nothing.
package class PostWatch: @unchecked Sendable {  // Reason: stateless.
  /// Creates a watch.
  package init() {}

  /// Reports that the event waits for a handler.
  package func queued(for receiver: Receiver) {}

  /// Reports that the event has passed a handler by; does nothing for an event that reached it.
  package func skipped(_ outcome: Reception, by receiver: Receiver) {}

  /// Runs code that continues the post after it has returned.
  package func resume(_ body: () -> Void) { body() }

  /// Surrounds the call of a handler.
  ///
  /// - Parameters:
  ///   - receiver: The registration of the handler.
  ///   - body: Calls the handler, unless its owner has died.
  /// - Returns: The outcome; ``Reception/intercepted`` if the body was not run.
  /// - Throws: The error of the handler.
  package func call(_ receiver: Receiver, _ body: () throws -> Reception) throws -> Reception {
    try body()
  }

  /// Surrounds the call of an asynchronous handler, after the post has returned.
  ///
  /// - Parameters:
  ///   - receiver: The registration of the handler.
  ///   - body: Calls the handler, unless its owner has died.
  /// - Returns: The outcome; ``Reception/intercepted`` if the body was not run.
  /// - Throws: The error of the handler.
  package func callAsync(_ receiver: Receiver, _ body: () async throws -> Reception) async throws
    -> Reception
  {
    try await body()
  }
}

/// The registration that a followed delivery concerns.
package struct Receiver: Sendable {
  /// The position in the order of all registrations of the bus.
  package let number: UInt
  /// The source site of the registration.
  package let site: SourceSite
  /// The actor on which the step takes place, if it is known.
  package let actor: ActorIdentity?

  /// Describes the registration of an observer.
  package init(_ observer: AnyObserver, on actor: ActorIdentity?) {
    number = observer.order
    site = SourceSite(observer)
    self.actor = actor
  }
}

extension SourceSite {
  /// Creates the source site of a registration.
  package init(_ observer: AnyObserver) {
    self.init(fileID: observer.fileID, line: observer.line)
  }
}

/// A followed delivery that waits for its handler.
///
/// It is announced before the handler is called, by the poster or by the code that is about to call the
/// handler, whichever is first.
package final class QueuedDelivery: Sendable {
  /// The watch of the post.
  package let watch: PostWatch
  /// The registration of the handler.
  package let receiver: Receiver
  private let isAnnounced = Atomic<Bool>(false)
  private let announced = Latch()

  /// Creates a delivery that was not announced yet.
  package init(_ watch: PostWatch, for receiver: Receiver) {
    (self.watch, self.receiver) = (watch, receiver)
  }

  /// Reports that the event waits, once.
  package func announce() {
    if isAnnounced.exchange(true, ordering: .acquiringAndReleasing) { return }
    watch.queued(for: receiver)
    announced.open()
  }

  /// Waits until the poster has announced the delivery.
  package func waitUntilAnnounced() async { await announced.wait() }

  /// Reports that the event will not reach the handler, after it was announced.
  package func skip(_ outcome: Reception) {
    announce()
    watch.skipped(outcome, by: receiver)
  }
}
