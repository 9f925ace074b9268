/// The order of switches requested while another switch is running.
///
/// A plain value. The first caller becomes the runner and performs one round after the other. Later
/// callers add requests. A round takes all pending requests: the last one for each target.
///
/// A request is a consequence of the running round if code that the round called made it. A chain
/// of consequences has at most ``maximumRounds`` rounds; in the last one the caller refuses
/// requests before it submits them. An accepted request is never dropped. If only unrelated
/// requests are pending, the chain has ended, and a later runner performs them.
package struct SwitchQueue<Target: Hashable, Request> {
  /// The next step of the runner.
  package enum Step {
    /// Perform one round: these requests, in this order.
    case run([Request])
    /// Stop; the queue is idle again.
    case done
    /// Stop, and perform the pending, unrelated requests in a separate job.
    case resume
  }

  /// The maximum number of rounds that one runner performs.
  package static var maximumRounds: Int { 16 }

  /// The requests of the next round: the last one for each target.
  private var pending: [Target: Request] = [:]
  /// The targets of the next round, in the order in which they first occurred.
  private var targets: [Target] = []
  /// The requests of this round that have not begun.
  private var running: [Target: Request] = [:]
  /// The targets of the pending requests that are consequences of the running round.
  private var consequences: Set<Target> = []
  private var rounds: Int?

  /// A Boolean value that indicates whether any request has not begun.
  package var hasRequests: Bool { !pending.isEmpty || !running.isEmpty }

  /// A Boolean value that indicates whether the running round is the last one allowed.
  package var isLastRound: Bool { rounds == Self.maximumRounds }

  /// Creates an idle queue.
  package init() {}

  /// Adds a request, replacing the previous one for the same target.
  ///
  /// - Parameters:
  ///   - new: The request.
  ///   - target: The target of the switch.
  ///   - isConsequence: A Boolean value that indicates whether the request is a consequence of the running
  ///     round.
  /// - Returns: A Boolean value that indicates whether the caller became the runner and must call
  ///   ``next()`` until it is done; and the replaced request, which the caller releases once the
  ///   queue is consistent again.
  /// - Complexity: Amortized O(1).
  package mutating func submit(
    _ new: Request,
    for target: Target,
    isConsequence: Bool
  ) -> (isRunner: Bool, former: Request?) {
    let former = set(new, for: target)
    if isConsequence { consequences.insert(target) } else { consequences.remove(target) }
    guard rounds == nil else { return (false, former) }
    rounds = 0
    return (true, former)
  }

  /// Returns the last request for a target that has not begun, of this round or the next, if there
  /// is one.
  ///
  /// - Complexity: O(1).
  package func lastRequest(for target: Target) -> Request? {
    pending[target] ?? running[target]
  }

  /// Marks the request of this round for a target as begun.
  ///
  /// - Complexity: O(1).
  package mutating func begin(_ target: Target) { running[target] = nil }

  /// Moves requests of this round to the next one, unless that has a later request for the same
  /// target.
  ///
  /// - Complexity: O(*n*).
  package mutating func postpone(_ requests: [(target: Target, request: Request)]) {
    for (target, request) in requests where pending[target] == nil {
      _ = set(request, for: target)
    }
  }

  /// Makes the caller the runner of the pending requests; the caller must then call ``next()``
  /// until it is done.
  ///
  /// - Returns: `false` if there is another runner or no pending request.
  package mutating func resume() -> Bool {
    guard rounds == nil, hasRequests else { return false }
    rounds = 0
    return true
  }

  /// Ends the round and returns the next step of the runner.
  package mutating func next() -> Step {
    running = [:]
    guard let done = rounds, done == 0 || !consequences.isEmpty else {
      rounds = nil
      return hasRequests ? .resume : .done
    }
    swap(&running, &pending)
    defer { targets = [] }
    consequences = []
    rounds = done + 1
    return .run(targets.compactMap { running[$0] })
  }

  /// Sets the request for a target and returns the previous one.
  private mutating func set(_ new: Request, for target: Target) -> Request? {
    let former = pending.updateValue(new, forKey: target)
    if former == nil { targets.append(target) }
    return former
  }
}
