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
  ///   - busState: The state of the bus, with its hooks.
  ///   - post: The post.
  ///   - origin: The origin of the event, with the record of a caller that waits.
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

/// A post that hooks follow, while it is running on this thread or its queued event is being delivered.
final class RunningPost: Sendable {
  @TaskLocal private static var innermost: RunningPost?
  /// The number of the newest followed post of the process.
  private static let newest = Atomic<Int>(0)

  let name: String
  /// The number of the post.
  let number: Int
  /// The number of the followed post around it.
  let outerNumber: Int?
  /// The number of enclosing posts.
  let depth: Int
  private let hasEnded = Atomic<Bool>(false)

  private init(name: String, number: Int, outerNumber: Int? = nil, depth: Int = 0) {
    (self.name, self.number) = (name, number)
    (self.outerNumber, self.depth) = (outerNumber, depth)
  }

  /// The post in which the caller runs.
  ///
  /// A task that a handler has started inherits a post that may have ended since.
  private static var current: RunningPost? {
    innermost.flatMap { $0.hasEnded.load(ordering: .acquiring) ? nil : $0 }
  }

  /// The number of the followed post in which the caller runs.
  static var currentNumber: Int? { current?.number }

  /// Runs a post that hooks follow.
  ///
  /// - Parameters:
  ///   - name: The string of the event's name.
  ///   - cause: The number of the post that enqueued the event.
  ///   - body: The post.
  /// - Returns: The result of the post.
  static func run<Result>(
    _ name: String,
    cause: Int?,
    _ body: (RunningPost) -> Result
  ) -> Result {
    let around = current
    let post = RunningPost(
      name: name,
      number: newest.wrappingAdd(1, ordering: .relaxed).newValue,
      outerNumber: around?.number ?? cause,
      depth: around.map { $0.depth + 1 } ?? (cause == nil ? 0 : 1)
    )
    defer { post.hasEnded.store(true, ordering: .releasing) }
    return $innermost.withValue(post) { body(post) }
  }

  /// The same post, while one of its queued events is delivered.
  ///
  /// It refers to no other post: events may cause each other forever.
  private func resumed() -> RunningPost { RunningPost(name: name, number: number) }

  /// Delivers a queued event of this post.
  func resume(_ body: () -> Void) {
    let post = resumed()
    Self.$innermost.withValue(post, operation: body)
    post.hasEnded.store(true, ordering: .releasing)
  }

  /// Delivers a queued event of this post to an asynchronous handler.
  func resumeAsync(_ body: () async -> Void) async {
    let post = resumed()
    await Self.$innermost.withValue(post, operation: body)
    post.hasEnded.store(true, ordering: .releasing)
  }
}

/// A running call of a hook, or the delivery of an event that a hook has posted or enqueued; recorded so that
/// neither is reported to hooks.
final class RunningHook: Sendable {
  @TaskLocal private static var current: RunningHook?
  /// The number of hooks and such deliveries that are running: reading the task-local value takes longer than
  /// this.
  private static let runningCount = Atomic<Int>(0)
  private let isDelivery: Bool
  private let hasReturned = Atomic<Bool>(false)

  private init(isDelivery: Bool = false) {
    self.isDelivery = isDelivery
    Self.runningCount.add(1, ordering: .relaxed)
  }

  private func end() {
    hasReturned.store(true, ordering: .releasing)
    Self.runningCount.subtract(1, ordering: .relaxed)
  }

  private static var running: RunningHook? {
    // Code inside a hook runs after the count of that hook began and before it ends.
    guard runningCount.load(ordering: .relaxed) > 0, let current else { return nil }
    return current.hasReturned.load(ordering: .acquiring) ? nil : current
  }

  /// Whether the caller runs inside a hook, or inside the delivery of an event that a hook has caused.
  ///
  /// This is `false` in a task that a hook started, once the hook has returned.
  static var isRunning: Bool { running != nil }

  /// Whether the caller is a hook itself, and not a handler of an event that the hook has caused.
  static var isCaller: Bool { running?.isDelivery == false }

  /// Runs a hook.
  static func run(_ hook: () -> Void) {
    let call = RunningHook()
    $current.withValue(call, operation: hook)
    call.end()
  }

  /// Runs an asynchronous hook.
  static func run(_ hook: () async -> Void) async {
    let call = RunningHook()
    await $current.withValue(call, operation: hook)
    call.end()
  }

  /// Delivers an event that a hook has posted or enqueued.
  static func deliver<Result>(_ body: () -> Result) -> Result {
    let delivery = RunningHook(isDelivery: true)
    defer { delivery.end() }
    return $current.withValue(delivery, operation: body)
  }

  /// Runs code that a hook surrounds, and that is not part of it.
  static func suspend(_ body: () -> Void) { $current.withValue(nil, operation: body) }

  /// Runs asynchronous code that a hook surrounds, and that is not part of it.
  static func suspend(_ body: () async -> Void) async {
    await $current.withValue(nil, operation: body)
  }
}
