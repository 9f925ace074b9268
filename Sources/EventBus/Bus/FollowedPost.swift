internal import Synchronization

/// What hooks have to know of an event between its `enqueue` and its delivery.
package class EnqueuedPost: PostWatch, @unchecked Sendable {  // Reason: constants.
  /// The number of the post that enqueued the event.
  let cause: Int?
  /// The values that interceptors captured.
  let interceptions: [Interception]

  init(cause: Int?, _ interceptions: [Interception]) {
    (self.cause, self.interceptions) = (cause, interceptions)
  }
}

/// A post that hooks follow, until the last of its handlers has finished.
package final class FollowedPost: EnqueuedPost, @unchecked Sendable {  // Reason: constants.
  private let hub: Hub
  private let frame: PostFrame
  private let site: SourceSite
  private let poster: ActorIdentity?

  init(_ hub: Hub, _ frame: PostFrame, _ origin: Delivery, _ interceptions: [Interception]) {
    (self.hub, self.frame) = (hub, frame)
    site = SourceSite(origin)
    poster = origin.isolation.map(ActorIdentity.init)
    super.init(cause: frame.outerNumber, interceptions)
  }

  /// Reports a step of the post itself.
  func report(_ step: TraceEvent.Step) { report(step, nil, on: poster) }

  private func report(_ step: TraceEvent.Step, _ receiver: Receiver?, on actor: ActorIdentity?) {
    hub.trace { bus in
      TraceEvent(
        bus: bus,
        post: frame.number ?? 0,
        outerPost: frame.outerNumber,
        name: frame.name,
        site: site,
        depth: frame.depth,
        registration: receiver.map(TraceEvent.Registration.init),
        actor: actor,
        thread: currentThreadID(),
        time: .now,
        step: step
      )
    }
  }

  override package func queued(for receiver: Receiver) { report(.queued, receiver, on: poster) }

  override package func skipped(_ outcome: Reception, by receiver: Receiver) {
    guard let reason = TraceEvent.SkipReason(outcome) else { return }
    report(.skipped(reason), receiver, on: receiver.actor)
  }

  override package func resume(_ body: () -> Void) { frame.resume(body) }

  override package func call(_ receiver: Receiver, _ body: () throws -> Reception) throws
    -> Reception
  {
    var outcome: Result<Reception, any Error>?
    Interception.run(interceptions[...]) {
      report(.started, receiver, on: receiver.actor)
      let result = Result { try body() }
      outcome = result
      reportEnd(result, receiver)
    }
    return try conclude(outcome)
  }

  override package func callAsync(
    _ receiver: Receiver,
    _ body: () async throws -> Reception
  ) async throws -> Reception {
    var outcome: Result<Reception, any Error>?
    await frame.resumeAsync {
      await Interception.runAsync(interceptions[...]) {
        report(.started, receiver, on: receiver.actor)
        let result: Result<Reception, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome = result
        reportEnd(result, receiver)
      }
    }
    return try conclude(outcome)
  }

  private func reportEnd(_ result: Result<Reception, any Error>, _ receiver: Receiver) {
    switch result {
    case .success(.called): report(.finished(nil), receiver, on: receiver.actor)
    case .success: break
    case .failure(let error): report(.finished(error), receiver, on: receiver.actor)
    }
  }

  private func conclude(_ outcome: Result<Reception, any Error>?) throws -> Reception {
    if let outcome { return try outcome.get() }
    hub.interceptedCalls.wrappingAdd(1, ordering: .relaxed)
    return .intercepted
  }
}

extension SignalCore {
  /// What hooks have to know of an event that is being enqueued; `nil` while no hook follows posts.
  func enqueued(_ payload: Payload, _ delivery: @autoclosure () -> Delivery) -> EnqueuedPost? {
    guard hub.isFollowed, !HookCall.isRunning else { return nil }
    let interceptions = hub.capture { event(payload, delivery()) }
    return EnqueuedPost(cause: PostFrame.currentNumber, interceptions)
  }
}
