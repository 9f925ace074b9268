internal import EventBus
internal import Synchronization

/// The subscriptions of one manager: a ``SubscriptionIndex`` behind a lock.
///
/// Subscriptions begin on the main actor. They end on any thread, because tokens may be cancelled and
/// views released anywhere. A lock therefore guards the index, and the state of a subscriber is
/// atomic. The other members of a subscriber are isolated to the main actor.
///
/// ```
/// view ──► token ──► target of the group ╌╌weak╌╌► registry ──► subscriber ╌╌weak╌╌► view
/// ```
final class SubscriptionRegistry: Sendable {
  private typealias Index = SubscriptionIndex<ThemeKeys, ThemeSubscription>

  /// The index, and a target for each group in its storage.
  private let state = Locked((index: Index(), targets: [GroupTarget]()))
  @MainActor private var probes: UInt = 0

  /// Cancels the tokens of all watched subscriptions.
  deinit {
    for watcher in state.withLock({ $0.index.takeWatchers() }) { watcher.object?.cancel() }
  }

  /// The number of subscriptions, including those of dead objects that no sweep has found yet.
  var count: Int { state.withLock { $0.index.count } }

  /// A Boolean value that indicates whether there are subscriptions whose end only sweeping finds.
  var needsSweeps: Bool { state.withLock { $0.index.swept.count > 0 } }

  /// The number of slots in the index, including gaps.
  var slotCount: Int { state.withLock { $0.index.slotCount } }

  /// Adds a subscription.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - keys: Its keys, each once.
  ///   - isKept: Pass `true` if the subscription lasts until its object dies or the token is
  ///     cancelled, and releasing the token has no effect.
  ///   - lifetime: For such a subscription, a lifetime that ends it as soon as the object dies,
  ///     unless the token is moved to another lifetime or a bag. Without one, sweeping finds the
  ///     dead object.
  /// - Returns: The token.
  @MainActor
  func add(
    _ subscriber: ThemeSubscription,
    keys: [AnyThemeKey],
    isKept: Bool = false,
    until lifetime: Lifetime? = nil
  ) -> Token {
    probe()
    let (id, target) = state.withLock { state in
      let id = state.index.add(subscriber, keys: keys, isSwept: isKept)
      if id.group == state.targets.count {
        state.targets.append(GroupTarget(self, group: id.group))
      }
      return (id, state.targets[Int(id.group)])
    }
    let token = Token(target, handle: id.number, isKept: isKept)
    if let lifetime { return token.attach(to: lifetime) }
    if isKept { _ = watch(id.number, inGroup: id.group, by: token) }
    return token
  }

  /// Returns the subscriptions to any of the changed keys, as lists to merge.
  func subscriptions(to changes: ThemeChanges) -> [NumberedList<ThemeSubscription>] {
    state.withLock { $0.index.groups(for: changes.keys) { changes[$0] != nil } }
  }

  /// Removes the subscriptions of dead objects.
  ///
  /// - Complexity: O(*n*) in the number of kept subscriptions.
  @MainActor
  func sweep() {
    let swept = state.withLock { $0.index.swept }
    for (_, member) in swept.entries where !member.subscriber.isAlive {
      remove(member.id)?.object?.cancel()
    }
  }

  /// Removes a subscription and returns the object that watches for its end.
  @discardableResult
  private func remove(_ id: Index.ID) -> WeakToken? {
    let (removed, targets) = state.withLock { state in
      let removed = state.index.remove(id)
      var targets: [GroupTarget] = []
      if state.index.groupCount == 0 { swap(&targets, &state.targets) }
      return (removed, targets)
    }
    removed?.subscriber.changePauses(by: 1)
    withExtendedLifetime(targets) {}
    return removed?.watcher
  }

  /// Examines a sample of the swept subscriptions, and sweeps all of them if many are dead.
  @MainActor
  private func probe() {
    let swept = state.withLock { $0.index.swept }
    guard swept.count > 0 else { return }
    probes &+= 1
    var probe = SweepProbe(total: swept.slotCount, seed: probes)
    while let index = probe.next() {
      probe.record(isDead: swept.element(at: index)?.subscriber.isAlive != true)
    }
    if probe.shouldSweep { sweep() }
  }
}

extension SubscriptionRegistry: GroupedRegistrations {
  package func end(_ number: UInt, inGroup group: UInt) { remove((group, number)) }

  func isActive(_ number: UInt, inGroup group: UInt) -> Bool {
    state.withLock { $0.index.contains((group, number)) }
  }

  package func watch(_ number: UInt, inGroup group: UInt, by token: Token) -> Bool {
    let watcher = WeakToken(token)
    return state.withLock { $0.index.watch((group, number), by: watcher) }
  }

  func changePauses(_ number: UInt, inGroup group: UInt, by change: Int) {
    state.withLock { $0.index.subscriber(at: (group, number)) }?.changePauses(by: change)
  }

  func waitUntilFinished(_ number: UInt, inGroup group: UInt) async {
    // Subscribers are called on the main actor only, so a job there is a fence. A cancelled task
    // does not wait for it.
    let fence = Latch()
    Task { @MainActor in fence.open() }
    await fence.wait()
  }
}

/// An object that follows a theme by a map; the object is referenced weakly.
///
/// All members except the pauses are isolated to the main actor.
@MainActor
final class ThemeSubscription {
  /// The number of pauses; the end of the subscription is one more, which never ends.
  private nonisolated let pauses = Atomic<Int>(0)
  private weak var object: AnyObject?
  private let rules: [ThemeRule]

  init(_ object: AnyObject, _ rules: [ThemeRule]) {
    self.object = object
    self.rules = rules
  }

  /// A Boolean value that indicates whether the subscription has ended or is paused.
  private var isSilent: Bool { pauses.load(ordering: .acquiring) != 0 }

  /// Adds to the number of pauses.
  nonisolated func changePauses(by change: Int) { pauses.wrappingAdd(change, ordering: .releasing) }

  /// A Boolean value that indicates whether the object is alive.
  ///
  /// Read it without holding a lock.
  var isAlive: Bool { object != nil }

  /// Sets the properties of the object, rule by rule, until the subscription ends or is paused.
  ///
  /// - Parameter value: Returns the value for a key, or `nil` to skip the rule. Called before each
  ///   rule, and after each transform.
  func apply(_ value: (AnyThemeKey) -> (any AnyThemeValue)?) {
    // The reference is weak and not unowned: the last strong one may be released on another thread,
    // and the object's own `deinit` may cause the switch.
    guard !isSilent, let object else { return }
    // A function, whose context needs no allocation.
    func isCurrent(_ key: AnyThemeKey, _ box: AnyObject) -> Bool {
      guard !isSilent, let current = value(key) else { return false }
      // If the transform switched, and the value is another one now, that switch has set the
      // property.
      return key.areEqual(box, current)
    }
    // By index, which does not retain the parts of a rule that it does not read.
    for index in rules.indices {
      guard let box = value(rules[index].key) else { continue }
      rules[index].write(object, box, isCurrent)
      // The property's observers may have ended or paused the subscription.
      guard !isSilent else { return }
    }
  }
}
