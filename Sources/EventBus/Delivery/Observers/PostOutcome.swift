internal import Synchronization

/// The result of a post that waited for its handlers.
///
/// ```swift
/// let bus = EventBus()
/// let name = EventName<Void>("document.willClose")
/// let token = bus.observe(name) { await Task.yield() }
/// let outcome = await bus.postAndWait(name)
/// print(outcome.reached, outcome.cancelled, outcome.dropped, outcome.errors)  // 1 0 0 []
/// token.cancel()
/// ```
///
/// Each handler that the event was meant for is counted in exactly one of ``reached``, ``cancelled`` and
/// ``dropped``. An event is not meant for a handler whose filter or sender does not match, for a handler
/// with `once: true` whose call another post has used, and for observers of every event.
public struct PostOutcome: Sendable {
  /// The number of handlers that were called, including those that threw an error.
  ///
  /// It includes the streams that accepted the payload, and calls for which the post did not wait: those of
  /// the handler that posted, and, if the waiting task was cancelled, the unfinished ones.
  public internal(set) var reached = 0
  /// The number of handlers whose registration ended before their call began.
  public internal(set) var cancelled = 0
  /// The number of handlers for which the event was discarded: by their buffering policy or an interceptor,
  /// because they were paused, or because their owner had died.
  public internal(set) var dropped = 0
  /// The errors that handlers threw, in the order of the observers.
  ///
  /// The hooks of the bus receive them as well.
  public internal(set) var errors: [any Error] = []

  init() {}
}

/// Counts the unfinished calls of one post, and what came of the others, for a poster that waits until all
/// are finished.
package final class Completion: Sendable {
  private struct State {
    var outcome = PostOutcome()
    /// The numbers of the observers, in the order in which the post met them.
    var order: [UInt] = []
    /// The errors with the numbers of the observers that threw them, as they occurred.
    var failures: [(observer: UInt, error: any Error)] = []
  }

  /// The number of unfinished calls, plus one for the post itself.
  private let open = Atomic<Int>(1)
  private let latch = Latch()
  private let state = Locked(State())
  private let list: ObjectIdentifier
  /// The registrations whose handlers wait for this post; the post does not wait for them.
  package let callers: [ObjectIdentifier]

  /// Creates a count for a post that is about to begin.
  ///
  /// - Parameters:
  ///   - list: The observers of the event. Others, which observe every event, are waited for, but are not
  ///     part of the outcome.
  ///   - callers: The registrations whose handlers wait for this post.
  package init(of list: ObserverList, callers: [ObjectIdentifier] = []) {
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

  /// A Boolean value that indicates whether every call has finished.
  package var isDone: Bool { latch.isOpen }

  /// Waits until every call has finished.
  ///
  /// Returns early when the waiting task is cancelled.
  package func wait() async { await latch.wait() }

  /// What has come of the post; final once every call has finished.
  ///
  /// - Complexity: O(*n*) in the number of observers if a handler threw, otherwise O(1).
  package var outcome: PostOutcome {
    let state = state.withLock { $0 }
    var outcome = state.outcome
    guard !state.failures.isEmpty else { return outcome }
    let places = Dictionary(zip(state.order, 0...)) { first, _ in first }
    outcome.errors = state.failures
      .sorted { places[$0.observer, default: 0] < places[$1.observer, default: 0] }
      .map(\.error)
    return outcome
  }

  /// Records the outcome at an observer that the post met.
  ///
  /// An event that waits counts as having reached its observer until ``retract(_:at:)`` says otherwise.
  package func record(_ reception: Reception, at observer: AnyObserver) {
    let isOwnerLost = observer.link?.hasLostOwner ?? false
    let reception = reception == .cancelled && observer.isSpent ? .spent : reception
    state.withLock { state in
      state.order.append(observer.order)
      state.outcome.count(reception, isOwnerLost: isOwnerLost)
    }
  }

  /// Records that an event that waited has not reached its observer.
  ///
  /// - Parameters:
  ///   - reception: The outcome at the observer.
  ///   - link: The observer's registration.
  package func retract(_ reception: Reception, at link: ObserverRegistration) {
    guard ObjectIdentifier(link.list) == list, reception.reached == 0 else { return }
    let isOwnerLost = link.hasLostOwner
    state.withLock { state in
      state.outcome.reached -= 1
      state.outcome.count(reception, isOwnerLost: isOwnerLost)
    }
  }

  /// Records an error of a handler.
  package func record(_ error: any Error, of observer: AnyObserver) {
    let number = observer.order
    state.withLock { $0.failures.append((number, error)) }
  }
}

extension PostOutcome {
  fileprivate mutating func count(_ reception: Reception, isOwnerLost: Bool) {
    switch reception {
    case .called, .failed, .queued: reached += 1
    case .cancelled where !isOwnerLost: cancelled += 1
    case .cancelled, .dropped, .paused, .ownerLost, .intercepted: dropped += 1
    case .declined, .spent, .excluded, .tooNew: break
    }
  }
}
