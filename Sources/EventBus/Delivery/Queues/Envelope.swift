internal import Synchronization

/// An event that waits for its observer, counted as an unfinished call of its post until it is released.
///
/// It does not retain the observer: cancelling the registration frees the handler at once, and the event is
/// then dropped.
package class Envelope: @unchecked Sendable {  // Reason: constant, like its subclass.
  /// The origin of the event.
  package let delivery: Delivery
  /// The registration of the observer.
  package let link: ObserverRegistration
  /// Whether what came of the event is recorded, or needs no record.
  private let isSettled = Atomic<Bool>(false)
  /// The delivery, if hooks follow the post.
  package let queued: QueuedDelivery?

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - delivery: The origin of the event; its completion waits for the envelope.
  ///   - link: The registration of the observer.
  ///   - queued: The delivery, if hooks follow the post.
  package init(_ delivery: Delivery, for link: ObserverRegistration, _ queued: QueuedDelivery?) {
    self.delivery = delivery
    self.link = link
    self.queued = queued
    delivery.completion?.begin()
  }

  deinit {
    guard let completion = delivery.completion else { return }
    if !isSettled.load(ordering: .relaxed) {
      completion.retract(link.isActive(0) ? .dropped : .cancelled, at: link)
    }
    completion.finish()
  }

  /// Prevents the event from being recorded as discarded when it is released.
  package final func settle() { isSettled.store(true, ordering: .relaxed) }

  /// Records what came of the event, which counts as having reached its observer until now.
  package final func settle(_ reception: Reception) {
    settle()
    delivery.completion?.retract(reception, at: link)
  }

  /// Calls the synchronous handler, on its actor.
  ///
  /// - Returns: `false` when the owner had died.
  package func open() -> Bool { true }

  /// Calls the asynchronous handler and waits for it.
  package func openAsync() async {}
}

/// An event that waits, with its payload.
package final class WaitingEvent<Payload: Sendable>: Envelope,
  @unchecked Sendable  // Reason: constant.
{
  /// The payload.
  package let payload: Payload

  /// Wraps an event.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - delivery: The origin of the event; its completion waits for the envelope.
  ///   - link: The registration of the observer.
  ///   - queued: The delivery, if hooks follow the post.
  package required init(
    _ payload: Payload,
    _ delivery: Delivery,
    for link: ObserverRegistration,
    _ queued: QueuedDelivery?
  ) {
    self.payload = payload
    super.init(delivery, for: link, queued)
  }

  override package func open() -> Bool {
    guard let queued else { return openNow() }
    queued.announce()
    var isOwned = true
    queued.watch.resume { isOwned = openNow() }
    return isOwned
  }

  private func openNow() -> Bool {
    guard let outcome = call() else {
      queued?.skip(.cancelled)
      return true
    }
    link.finish()
    queued?.skip(outcome)
    return outcome != .ownerLost
  }

  /// Makes the call in its own frame: the observer is released before the call counts as finished.
  ///
  /// - Returns: The outcome; `nil` when the registration had ended.
  private func call() -> Reception? {
    guard let observer: GeneralObserver<Payload> = link.begin() else { return nil }
    do {
      let outcome = try observer.run(payload, queued)
      settle(outcome)
      return outcome
    } catch {
      settle()
      report(error, in: observer)
      return .failed
    }
  }

  override package func openAsync() async {
    await queued?.waitUntilAnnounced()
    guard let outcome = await callAsync() else {
      queued?.skip(.cancelled)
      return
    }
    link.finish()
    queued?.skip(outcome)
  }

  /// Makes the call in its own frame, like ``call()``.
  ///
  /// - Returns: The outcome; `nil` when the registration had ended.
  private func callAsync() async -> Reception? {
    guard let observer: GeneralObserver<Payload> = link.begin() else { return nil }
    var outcome = Reception.failed
    await RunningCall.run(link, callers: delivery.completion?.callers ?? []) {
      do {
        outcome = try await observer.runAsync(payload, queued)
        settle(outcome)
      } catch {
        settle()
        report(error, in: observer)
      }
    }
    return outcome
  }

  private func report(_ error: any Error, in observer: AnyObserver) {
    link.list.handlerFailed(error, in: observer, payload: payload, delivery: delivery)
  }
}
