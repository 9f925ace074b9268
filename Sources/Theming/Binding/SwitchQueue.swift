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
  /// The maximum number of rounds that one runner performs.
  package static var maximumRounds: Int { 16 }

  /// The requests of the next round: the last one for each target, and the rank of the target in
  /// the order in which they first occurred.
  private var pending: [Target: (request: Request, rank: Int, isConsequence: Bool)] = [:]
  /// The requests of this round that have not begun.
  private var running: [Target: Request] = [:]
  /// The number of rounds that the runner has begun, or `nil` if there is no runner.
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
  ///   - isConsequence: Pass `true` if the request is a consequence of the running round.
  /// - Returns: Whether the caller became the runner and must call ``next()`` until it returns
  ///   `nil`; and the replaced request, which the caller releases once the queue is consistent
  ///   again.
  /// - Complexity: Amortized O(1).
  package mutating func submit(
    _ new: Request,
    for target: Target,
    isConsequence: Bool
  ) -> (isRunner: Bool, former: Request?) {
    let former = set(new, for: target, isConsequence: isConsequence)
    let isRunner = rounds == nil
    rounds = rounds ?? 0
    return (isRunner, former)
  }

  /// Returns the last request for a target that has not begun, of this round or the next, if there
  /// is one.
  ///
  /// - Complexity: O(1).
  package func lastRequest(for target: Target) -> Request? {
    pending[target]?.request ?? running[target]
  }

  /// Marks the request of this round for a target as begun.
  ///
  /// - Returns: The request, which the caller releases once the queue is consistent again.
  /// - Complexity: O(1).
  @discardableResult
  package mutating func begin(_ target: Target) -> Request? {
    running.removeValue(forKey: target)
  }

  /// Moves requests of this round to the next one, unless that has a later request for the same
  /// target.
  ///
  /// - Complexity: O(*n*).
  package mutating func postpone(_ requests: [(target: Target, request: Request)]) {
    for (target, request) in requests where pending[target] == nil {
      _ = set(request, for: target, isConsequence: false)
    }
  }

  /// Makes the caller the runner of the pending requests; the caller must then call ``next()``
  /// until it returns `nil`.
  ///
  /// - Returns: `false` if there is another runner or no pending request.
  package mutating func resume() -> Bool {
    guard rounds == nil, hasRequests else { return false }
    rounds = 0
    return true
  }

  /// Ends the round and begins the next one.
  ///
  /// - Returns: The requests to perform, in order, or `nil` if the caller is no longer the runner;
  ///   and the requests of the ended round that were replaced before they began, which the caller
  ///   releases once the queue is consistent again. If the caller is no longer the runner and the
  ///   queue still has requests, they are unrelated, and a separate job performs them.
  package mutating func next() -> (round: [Request]?, former: [Request]) {
    let former = Array(running.values)
    running = [:]
    guard let done = rounds, done == 0 || pending.values.contains(where: \.isConsequence) else {
      rounds = nil
      return (nil, former)
    }
    let round = pending.values.sorted { $0.rank < $1.rank }
    running = pending.mapValues(\.request)
    pending = [:]
    rounds = done + 1
    return (round.map(\.request), former)
  }

  /// Stops the program if the parts of the queue contradict one another.
  package func _checkInvariants() {
    assert(pending.values.map(\.rank).sorted() == Array(0..<pending.count), "ranks are wrong")
    assert(rounds != nil || running.isEmpty, "a request is running without a runner")
    assert((0...Self.maximumRounds).contains(rounds ?? 0), "there are too many rounds")
  }

  /// Sets the request for a target and returns the previous one.
  private mutating func set(_ new: Request, for target: Target, isConsequence: Bool) -> Request? {
    let former = pending[target]
    pending[target] = (new, former?.rank ?? pending.count, isConsequence)
    return former?.request
  }
}
