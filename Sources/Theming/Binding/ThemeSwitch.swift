public import EventBus

extension ThemeManager {
  /// The switches that follow from one another.
  struct Chain {
    /// The nesting depth of deliveries of mailed events when the chain began.
    ///
    /// A request at a greater depth is no consequence of the chain.
    let openings: Int

    /// The names of the themes used so far.
    var names: [String] = []

    /// The first error thrown in the last round.
    var refusal: ThemeError?
  }

  /// Plans the switch of this manager and of the scopes that follow it, each manager before its scopes.
  ///
  /// Planning calls no user code, so nothing changes between planning and the swap.
  ///
  /// - Parameters:
  ///   - plan: Receives the switches; none for a scope that does not follow the manager above, which stays as
  ///     it is, and so do its own scopes.
  ///   - base: The planned theme of the manager above, or `nil` if there is none.
  ///   - request: Returns the request for a manager, if there is one.
  func addSwitches(
    to plan: inout [ThemeSwitch],
    over base: Theme?,
    _ request: (ThemeManager) -> ThemeRequest?
  ) {
    guard let requested = request(self) ?? overlay.map(ThemeRequest.overlay),
      let theme = requested.theme(over: base)
    else { return }
    let part = ThemeSwitch(self, to: theme, requested)
    plan.append(part)
    for scope in part.scopes { scope.addSwitches(to: &plan, over: theme, request) }
  }
}

extension [ThemeSwitch] {
  /// Throws an error if aliases of one of the themes form a cycle.
  @MainActor func check() throws(ThemeError) {
    for part in self { try part.new.check() }
  }

  /// A Boolean value that indicates whether all themes are free of alias cycles.
  @MainActor var isSound: Bool { allSatisfy { $0.new.cycle == nil } }
}

/// The switch of one manager.
@MainActor
final class ThemeSwitch {
  let manager: ThemeManager
  /// The scopes of the manager: if another thread releases the last other reference to one, it is destroyed
  /// with the plan, not while the plan is being created.
  let scopes: [ThemeManager]
  /// The theme before the switch.
  let old: ResolvedTheme
  /// The theme after the switch.
  let new: ResolvedTheme
  /// The overrides of a scope after the switch, or `nil` if its theme does not follow the manager
  /// above.
  let overlay: ThemeLayer?

  /// The changed keys with their values, once the themes have been compared.
  private(set) var changes = ThemeChanges([])
  /// The subscriptions to changed keys, as lists to merge.
  private var subscriptions: [NumberedList<ThemeSubscription>] = []

  init(_ manager: ThemeManager, to theme: Theme, _ request: ThemeRequest) {
    self.manager = manager
    scopes = manager.scopes
    old = manager.resolved
    new = ResolvedTheme(theme)
    overlay = if case .overlay(let layer) = request { layer } else { nil }
  }

  /// Compares the themes, which calls user code.
  func compare() { changes = ThemeChanges(new.changes(from: old)) }

  /// Collects the subscriptions to the changed keys.
  func collect() { subscriptions = manager.registry.subscriptions(to: changes) }

  /// Sets the properties that follow changed keys, in the order of subscription.
  func apply() {
    // Copied, because every access to a property is checked.
    let changes = changes
    NumberedList.forEachMerged(subscriptions) { $0.apply { changes[$0] } }
  }

  /// Removes the subscriptions of dead objects if one of them follows a changed key.
  func sweep() {
    guard manager.registry.needsSweeps else { return }
    var foundDead = false
    for list in subscriptions { list.forEach { if !$0.isAlive { foundDead = true } } }
    if foundDead { manager.registry.sweep() }
  }
}

/// A request to switch a manager.
enum ThemeRequest {
  /// Use this theme, regardless of the manager above.
  case theme(Theme)
  /// For a scope: use the theme of the manager above with these overrides.
  case overlay(ThemeLayer)

  /// Returns the requested theme.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` if there is none.
  /// - Returns: The theme, or `nil` if the request needs a manager above and there is none.
  func theme(over base: Theme?) -> Theme? {
    switch self {
    case .theme(let theme): theme
    case .overlay(let layer): base?.adding(layer)
    }
  }
}

/// The payload of `themeDidChange`, posted after every view has its new values.
public struct ThemeDidChange: Sendable {
  /// The manager that switched; also the sender of the event.
  public let manager: ThemeManager
  /// The theme before the switch.
  public let old: Theme
  /// The theme after the switch.
  public let new: Theme
  /// The keys whose values changed.
  ///
  /// Empty if the themes differ only in name or appearance.
  public let changedKeys: Set<AnyThemeKey>
}

extension EventNames {
  /// Posted by a ``ThemeManager`` on its bus after a switch, with the manager as the sender.
  public static let themeDidChange = EventName<ThemeDidChange>(lifecycle: "theme.didChange")
}

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
  private struct Pending {
    let request: Request
    let rank: Int
    let isConsequence: Bool
  }

  /// The maximum number of rounds that one runner performs.
  static var maximumRounds: Int { 16 }

  /// The requests of the next round: the last one for each target, and the rank of the target in
  /// the order in which they first occurred.
  private var pending: [Target: Pending] = [:]
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
  package mutating func begin(_ target: Target) -> Request? { running.removeValue(forKey: target) }

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
    let round = pending.values.ordered { $0.rank < $1.rank }
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
    let rank = former?.rank ?? pending.count
    pending[target] = Pending(request: new, rank: rank, isConsequence: isConsequence)
    return former?.request
  }
}
