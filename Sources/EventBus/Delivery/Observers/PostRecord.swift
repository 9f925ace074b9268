internal import Synchronization

/// The outcomes of one event, by observer.
///
/// Every observer, queue and replay reports here, and only here; the outcome of a post that waits and the
/// traces of hooks are both made from these reports. A ``Post`` refers to a record only if its caller
/// waits or hooks follow the post. The hooks' part is in a subclass; the overridable members of this class
/// do nothing, and call handlers directly.
@usableFromInline
package class PostRecord: @unchecked Sendable {  // Reason: constant.
  /// The calls for which the caller waits; `nil` if it does not wait.
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

  /// True if hooks follow the post.
  var isFollowed: Bool { false }

  /// True if interceptors, which may prevent a call, surround the handlers.
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

/// The reports to hooks and to a waiting caller about an event that waits for its handler, or in a stream for
/// its consumer.
///
/// It is announced before anything else is reported, by the posting code or by the code that takes the event,
/// whichever is first. A call counts as unfinished until its delivery is released; if nothing was settled by then,
/// the event was discarded, and is recorded so. Do not release it under a lock.
@usableFromInline
package final class QueuedDelivery: FollowedElement, @unchecked Sendable {  // Reason: atomics.
  /// What waits.
  package enum Kind {
    /// A call, for which a waiting caller waits.
    case call
    /// A call of the handler in which the caller waits, which would wait for itself.
    case ownCall
    /// An element of a stream, which has reached its handler.
    case element
  }

  /// The record of the post.
  package let record: PostRecord
  /// The registration of the handler, for reports.
  package let receiver: Receiver
  private let registration: ObserverRegistration
  private let kind: Kind
  private let isAnnounced = Atomic<Bool>(false)
  private let isSettled = Atomic<Bool>(false)
  private let announced = Latch()

  /// Creates a delivery that was not announced yet.
  package init(
    _ record: PostRecord,
    for registration: ObserverRegistration,
    _ receiver: Receiver,
    _ kind: Kind
  ) {
    (self.record, self.registration, self.receiver) = (record, registration, receiver)
    self.kind = kind
    super.init()
    counter?.begin()
  }

  deinit {
    if kind != .element { settle(registration.isActive ? .dropped : registration.refusal) }
    counter?.finish()
  }

  /// Counts this call; `nil` if the caller does not wait for it.
  var counter: Completion? { kind == .call ? record.completion : nil }

  /// Reports that the event waits, once.
  package func announce() {
    if isAnnounced.exchange(true, ordering: .acquiringAndReleasing) { return }
    record.queued(for: receiver)
    announced.open()
  }

  /// Waits until the delivery has been announced.
  func waitUntilAnnounced() async { await announced.wait() }

  /// Records the outcome of the event, once.
  ///
  /// - Parameter reception: The outcome. A handler that was called has reported it to hooks.
  package func settle(_ reception: Reception) {
    if isSettled.exchange(true, ordering: .relaxed) { return }
    if kind != .element { record.completion?.settle(reception, at: receiver.number) }
    if !reception.isReached { announce() }
    record.missed(reception, by: receiver)
  }

  /// Prevents the event from being recorded as discarded: other code records its outcome.
  func settleElsewhere() { isSettled.store(true, ordering: .relaxed) }

  @usableFromInline
  override package func drop() { settle(.dropped) }

  override package func cancel() { settle(.cancelled) }

  /// Reports that a consumer takes the event from a stream.
  @usableFromInline
  override package func take() {
    announce()
    if !isSettled.exchange(true, ordering: .relaxed) { record.taken(by: receiver) }
  }
}

/// The unfinished calls and the receptions of one post, for a caller that waits until every handler has
/// finished.
package final class Completion: Sendable {
  private struct Entry {
    /// The position among the observers that the post met; `nil` if it has not met this one.
    var position: Int?
    var reception: Reception?
    var error: (any Error)?
    /// Whether the observer received the event as a recorded one.
    var wasReplayed = false

    /// Notes a reception, unless a more final one is known.
    ///
    /// The handler may have finished before the posting code has recorded that the event waits.
    mutating func note(_ new: Reception) {
      switch (reception, new) {
      case (nil, _): reception = new
      // The event waited at the gate of a replay, which has left it out. If the replay has passed it on, it
      // now waits for the observer.
      case (.queued, .replayed) where !wasReplayed: reception = new
      case (_, .queued), (_, .replayed): break
      default: reception = new
      }
    }
  }

  private struct State: ~Copyable {
    /// The receptions, by the numbers of the observers.
    var entries: [UInt: Entry] = [:]
    var metCount = 0
  }

  /// The number of unfinished calls, plus one for the post itself.
  private let open = Atomic<Int>(1)
  private let latch = Latch()
  private let state = Locked(State())
  private let list: ObjectIdentifier
  /// The calls of handlers that wait for this post; the post does not wait for other calls of these handlers.
  package let callers: [RunningCall]

  /// Creates a count for a post that is about to begin.
  ///
  /// - Parameters:
  ///   - list: The observers of the event. Others, which observe every event, are waited for, but are not
  ///     part of the outcome.
  ///   - callers: The calls of handlers that wait for this post.
  package init(of list: ObserverList, callers: [RunningCall] = []) {
    self.list = ObjectIdentifier(list)
    self.callers = callers
  }

  /// Counts a call that will be made later.
  package func begin() { open.wrappingAdd(1, ordering: .relaxed) }

  /// Ends a call that was made or dropped, or the post itself.
  package func finish() {
    let left = open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { latch.open() }
  }

  /// True if every call has finished; it stays `true` when a later replay
  /// counts calls.
  package var isDone: Bool { latch.isOpen }

  /// Waits until every call has finished.
  ///
  /// Returns early when the waiting task is cancelled.
  package func wait() async { await latch.wait() }

  /// The outcome so far; final once every call has finished.
  ///
  /// - Complexity: O(*n* log *n*) in the number of observers.
  package var outcome: PostOutcome {
    var met: [(position: Int, entry: Entry)] = []
    for entry in state.withLock({ $0.entries }).values {
      if let position = entry.position { met.append((position, entry)) }
    }
    var outcome = PostOutcome()
    for (_, entry) in met.ordered(by: { $0.position < $1.position }) {
      entry.reception.map { outcome.count($0) }
      if let error = entry.error { outcome.errors.append(error) }
    }
    return outcome
  }

  /// The number of observers with a recorded outcome.
  package var recordedCount: Int { state.withLock { $0.entries.count } }

  /// Records that the post has met an observer, and the outcome there.
  func met(_ reception: Reception, at number: UInt, in list: ObserverList) {
    guard ObjectIdentifier(list) == self.list, reception != .tooNew else { return }
    change(number) { entry, state in
      entry.position = state.metCount
      state.metCount += 1
      // The outcome of a recorded event is already known.
      if reception != .replayed { entry.note(reception) }
    }
  }

  /// Records the outcome of an event that waited, or that its observer received as a recorded one.
  ///
  /// - Parameters:
  ///   - reception: The outcome.
  ///   - number: The number of the observer.
  ///   - isReplay: Whether the observer received the event as a recorded one.
  package func settle(_ reception: Reception, at number: UInt, isReplay: Bool = false) {
    // A post that is over is replayed forever, and may then count new calls.
    if isDone { return }
    change(number) { entry, _ in
      if isReplay { entry.wasReplayed = true }
      entry.note(reception)
    }
  }

  /// Records an error of a handler.
  package func failed(_ error: any Error, at number: UInt) {
    if isDone { return }
    change(number) { entry, _ in entry.error = error }
  }

  private func change(_ number: UInt, _ body: (inout Entry, inout State) -> Void) {
    state.withLock { state in
      var entry = state.entries[number] ?? Entry()
      body(&entry, &state)
      state.entries[number] = entry
    }
  }
}

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
