internal import Synchronization

/// The record of a post that hooks follow: reports its steps, and surrounds its handlers, until the last of
/// them has finished.
package final class FollowedPost: PostRecord, @unchecked Sendable {  // Reason: constants.
  private let busState: BusState
  private let post: RunningPost
  private let site: SourceSite
  private let poster: ActorIdentity?
  private let interceptions: [Interception]

  /// Creates the record of a post that is about to begin.
  ///
  /// - Parameters:
  ///   - busState: The busState with the hooks.
  ///   - post: The post.
  ///   - origin: The origin of the event, with the record of a poster that waits.
  ///   - interceptions: The values that interceptors captured.
  init(
    _ busState: BusState,
    _ post: RunningPost,
    _ origin: Post,
    _ interceptions: [Interception]
  ) {
    (self.busState, self.post, self.interceptions) = (busState, post, interceptions)
    site = SourceSite(origin.site)
    poster = origin.actor
    super.init(origin.record?.completion)
  }

  /// Reports a step of the post itself.
  func report(_ step: TraceStep.Kind) { report(step, nil, on: poster) }

  private func report(_ step: TraceStep.Kind, _ receiver: Receiver) {
    report(step, receiver, on: receiver.actor)
  }

  private func report(_ step: TraceStep.Kind, _ receiver: Receiver?, on actor: ActorIdentity?) {
    busState.trace { bus in
      TraceStep(
        bus: bus,
        post: post.number,
        outerPost: post.outerNumber,
        name: post.name,
        site: site,
        depth: post.depth,
        registration: receiver.map(TraceStep.Registration.init),
        actor: actor,
        thread: currentThreadID(),
        time: .now,
        kind: step
      )
    }
  }

  override var isFollowed: Bool { true }

  override var isIntercepted: Bool { !interceptions.isEmpty }

  override package func missed(_ reception: Reception, by receiver: Receiver) {
    guard let reason = TraceStep.SkipReason(reception) else { return }
    report(.skipped(reason), receiver)
  }

  override package func queued(for receiver: Receiver) { report(.queued, receiver, on: poster) }

  override package func taken(by receiver: Receiver) {
    report(.started, receiver)
    report(.finished(nil), receiver)
  }

  override package func resume(_ body: () -> Void) { post.resume(body) }

  override package func call(
    _ receiver: Receiver,
    unless refusal: () -> Reception?,
    _ body: () throws -> Reception
  ) throws -> Reception {
    var outcome: Result<Reception, any Error>?
    busState.intercept(interceptions[...]) {
      outcome =
        if let reason = begin(receiver, unless: refusal) { .success(reason) } else {
          end(Result { try body() }, receiver)
        }
    }
    return try conclude(outcome)
  }

  override func callAsync(
    _ receiver: Receiver,
    unless refusal: @escaping Refusal,
    _ body: (@escaping Refusal) async throws -> Reception
  ) async throws -> Reception {
    var outcome: Result<Reception, any Error>?
    await post.resumeAsync {
      await busState.intercept(interceptions[...]) {
        do {
          let reception = try await body { self.begin(receiver, unless: refusal) }
          outcome = end(.success(reception), receiver)
        } catch {
          outcome = end(.failure(error), receiver)
        }
      }
    }
    return try conclude(outcome)
  }

  /// Reports the beginning of a call, or returns the reason for not making it.
  private func begin(_ receiver: Receiver, unless refusal: () -> Reception?) -> Reception? {
    if let reason = refusal() { return reason }
    report(.started, receiver)
    return nil
  }

  private func end(_ result: Result<Reception, any Error>, _ receiver: Receiver)
    -> Result<Reception, any Error>
  {
    switch result {
    case .success(.called): report(.finished(nil), receiver)
    case .success: break
    case .failure(let error): report(.finished(error), receiver)
    }
    return result
  }

  private func conclude(_ outcome: Result<Reception, any Error>?) throws -> Reception {
    if let outcome { return try outcome.get() }
    return .intercepted
  }
}

extension TraceStep.SkipReason {
  /// Creates the reason for an outcome; `nil` if the event reached the handler or its queue.
  fileprivate init?(_ outcome: Reception) {
    switch outcome {
    case .called, .failed, .queued, .replayed: return nil
    case .declined: self = .declined
    case .ownerLost: self = .ownerLost
    case .spent: self = .spent
    case .paused: self = .paused
    case .cancelled: self = .cancelled
    case .excluded: self = .excluded
    case .tooNew: self = .tooNew
    case .dropped: self = .dropped
    case .intercepted: self = .intercepted
    }
  }
}

extension TraceStep.Registration {
  /// Describes the registration that a delivery concerns.
  fileprivate init(_ receiver: Receiver) {
    self.init(id: Int(clamping: receiver.number), site: SourceSite(receiver.site))
  }
}
