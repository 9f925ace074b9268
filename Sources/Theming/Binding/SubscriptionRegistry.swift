internal import EventBus
internal import Synchronization

/// The subscriptions of one manager: the shell that holds the lock around a ``SubscriptionIndex``.
///
/// Subscriptions begin on the main actor. They end wherever their token is cancelled or let go, and
/// a view may be released on any thread: so the index is behind a lock and a subscriber's flag is
/// atomic. Everything else about a subscriber belongs to the main actor.
///
/// ```
/// view ──► token ──► target of the lane ╌╌weak╌╌► registry ──► subscriber ╌╌weak╌╌► view
/// ```
final class SubscriptionRegistry: Sendable {
  private typealias Index = SubscriptionIndex<ThemeKeys, ThemeSubscription>

  private struct State {
    var index = Index()
    /// One for each lane that there is storage for.
    var targets: [GroupTarget] = []
  }

  private let state = Locked(State())
  @MainActor private var probes: UInt = 0

  /// Creates an empty registry.
  init() {}

  /// Ends every token that waits for the end of its subscription, or is in a bag or a lifetime.
  deinit {
    for watcher in state.withLock({ $0.index.takeWatchers() }) { watcher.object?.cancel() }
  }

  /// How many subscriptions there are, with those of dead objects that nobody told of.
  var count: Int { state.withLock { $0.index.count } }

  /// How many places they take, gaps included.
  var placeCount: Int { state.withLock { $0.index.placeCount } }

  /// Adds a subscription that lasts as long as its token.
  ///
  /// - Parameters:
  ///   - subscriber: Who is to be told.
  ///   - keys: Of what, each once.
  /// - Returns: The token. The subscription ends when it is dropped.
  @MainActor
  func add(_ subscriber: ThemeSubscription, keys: [ThemeKeys]) -> Token {
    let (place, target) = enter(subscriber, keys, isSwept: false)
    return Token(target, handle: place.number)
  }

  /// Adds a subscription that lasts as long as the object behind it, or until it is cancelled.
  ///
  /// - Parameters:
  ///   - subscriber: Who is to be told.
  ///   - keys: Of what, each once.
  ///   - lifetime: Ends the subscription at once when the object dies, unless the token is moved to
  ///     another lifetime or a bag. Else the dead are looked for.
  /// - Returns: The token. Dropping it does nothing.
  @MainActor
  func addKept(
    _ subscriber: ThemeSubscription,
    keys: [ThemeKeys],
    until lifetime: Lifetime?
  ) -> Token {
    let (place, target) = enter(subscriber, keys, isSwept: true)
    let token = Token(target, handle: place.number, isKept: true)
    if let lifetime { return token.attach(to: lifetime) }
    let watcher = WeakCancellable(token)
    state.withLock { _ = $0.index.watch(place, by: watcher) }
    return token
  }

  /// The subscribers to any of the keys, in the order of subscription.
  func subscribers(to keys: some Sequence<ThemeKeys>) -> [ThemeSubscription] {
    let lanes = state.withLock { $0.index.lanes(for: keys) }
    return OrderedLane.merged(lanes)
  }

  /// Removes the subscriptions whose objects have died without telling.
  ///
  /// - Complexity: O(*n*) in the number of those that cannot tell.
  @MainActor
  func sweep() {
    let swept = state.withLock { $0.index.swept }
    for (_, member) in swept.entries where !member.subscriber.isAlive {
      remove(member.place)?.watcher?.object?.cancel()
    }
  }

  /// Adds a subscription, and finds the target of its lane; looks for the dead first.
  @MainActor
  private func enter(
    _ subscriber: ThemeSubscription,
    _ keys: [ThemeKeys],
    isSwept: Bool
  ) -> (Index.Place, GroupTarget) {
    probe()
    return state.withLock { state in
      let place = state.index.add(subscriber, keys: keys, isSwept: isSwept)
      if place.lane == state.targets.count {
        state.targets.append(GroupTarget(self, group: place.lane))
      }
      return (place, state.targets[Int(place.lane)])
    }
  }

  /// Removes a subscription, whose contents the caller lets go outside the lock.
  @discardableResult
  private func remove(_ place: Index.Place) -> Index.Removed? {
    let (removed, targets) = state.withLock { state in
      let removed = state.index.remove(place)
      var targets: [GroupTarget] = []
      if state.index.laneCount == 0 { Swift.swap(&targets, &state.targets) }
      return (removed, targets)
    }
    removed?.subscriber.end()
    withExtendedLifetime(targets) {}
    return removed
  }

  /// Looks at a few of the swept objects and, where many are dead, at all.
  @MainActor
  private func probe() {
    let swept = state.withLock { $0.index.swept }
    guard swept.count > 0 else { return }
    probes &+= 1
    var probe = SweepProbe(total: swept.placeCount, seed: probes)
    while let place = probe.next() {
      if swept.element(at: place)?.subscriber.isAlive != true { probe.foundDead() }
    }
    if probe.shouldSweep { sweep() }
  }
}

extension SubscriptionRegistry: GroupedRegistrations {
  package func end(_ number: UInt, inGroup lane: UInt) {
    remove(Index.Place(lane: lane, number: number))
  }

  package func isActive(_ number: UInt, inGroup lane: UInt) -> Bool {
    state.withLock { $0.index.contains(Index.Place(lane: lane, number: number)) }
  }

  package func watch(_ number: UInt, inGroup lane: UInt, by token: any Cancellable) -> Bool {
    let watcher = WeakCancellable(token)
    return state.withLock { $0.index.watch(Index.Place(lane: lane, number: number), by: watcher) }
  }

  package func changePauses(_ number: UInt, inGroup lane: UInt, by change: Int) {
    let place = Index.Place(lane: lane, number: number)
    state.withLock { $0.index.subscriber(at: place) }?.changePauses(by: change)
  }

  package func waitUntilFinished(_ number: UInt, inGroup lane: UInt) async {
    // Subscribers are called on the main actor only, so a turn there is the fence. A cancelled task
    // does not wait for it.
    let fence = Latch()
    Task { @MainActor in fence.open() }
    await fence.wait()
  }
}

/// One object that follows a theme by a map, and is not kept.
///
/// Everything but the state belongs to the main actor.
@MainActor
final class ThemeSubscription {
  private nonisolated static let ended: UInt = 1
  private nonisolated static let onePause: UInt = 2

  /// Zero while values are handed over: else the bit of the end, and above it the number of pauses.
  private nonisolated let state = Atomic<UInt>(0)
  private weak var object: AnyObject?
  private let rules: [ThemeRule]

  init(_ object: AnyObject, _ rules: [ThemeRule]) {
    self.object = object
    self.rules = rules
  }

  /// Whether it has ended or is paused, so that nothing is handed to the object.
  private var isSilent: Bool { state.load(ordering: .acquiring) != 0 }

  /// Ends it: no call begins any more.
  nonisolated func end() { state.bitwiseOr(Self.ended, ordering: .releasing) }

  /// Adds a pause, or ends one that was added before.
  nonisolated func changePauses(by change: Int) {
    state.wrappingAdd(Self.onePause &* UInt(bitPattern: change), ordering: .releasing)
  }

  /// Whether the object lives; asked outside every lock.
  var isAlive: Bool { object != nil }

  /// Hands values to the object, rule by rule, until the subscription ends or is paused.
  ///
  /// - Parameter value: The value to hand over for a key, or `nil` to leave the property alone.
  ///   Asked before each rule.
  func apply(_ value: (ThemeKeys) -> (any AnyThemeValue)?) {
    // The reference is weak and not unowned: the last strong one may be dropped on another thread,
    // and the switch may come from the object's own `deinit`.
    guard !isSilent, let object else { return }
    for rule in rules {
      guard let value = value(rule.key) else { continue }
      rule.write(object, value)
      // The property's observers may have ended or paused the subscription.
      guard !isSilent else { return }
    }
  }
}
