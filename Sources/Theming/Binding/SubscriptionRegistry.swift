internal import EventBus

/// The subscriptions of one manager: a ``SubscriptionIndex`` behind a lock.
///
/// Subscriptions begin on the main actor. They end on any thread, because tokens may be cancelled and
/// views released anywhere. A lock therefore guards the index, and the state of a subscriber is in its
/// registration. The other members of a subscriber are isolated to the main actor.
///
/// ```
/// view ──► token ──► registration ──► registry ──► subscriber ╌╌weak╌╌► view
///                         ▲                             │
///                         └─────── until it ends ───────┘
/// ```
final class SubscriptionRegistry: Sendable {
  private let index = Locked(SubscriptionIndex<AnyThemeKey, ThemeSubscription>())
  @MainActor private var probes: UInt = 0

  /// Ends all subscriptions; the manager calls it in its `deinit`.
  func endAll() {
    for subscriber in index.withLock({ $0.subscribers }) { subscriber.registration.end() }
  }

  /// The number of subscriptions, including those of dead objects that no sweep has found yet.
  var count: Int { index.withLock { $0.count } }

  /// The number of slots in the index, including gaps.
  var slotCount: Int { index.withLock { $0.slotCount } }

  /// Adds a subscription.
  ///
  /// - Parameters:
  ///   - object: The object that follows the theme.
  ///   - rules: The rules of its map.
  ///   - keys: The keys of the rules, each once.
  ///   - isKept: Pass `true` if the subscription lasts until its object dies or the token is cancelled, and releasing the
  ///     token has no effect. Unless the object is the owner of a lifetime, sweeping finds its death.
  /// - Returns: The subscription.
  @MainActor
  func add(_ object: AnyObject, _ rules: [ThemeRule], keys: [AnyThemeKey], isKept: Bool = false)
    -> ThemeSubscription
  {
    probe()
    return index.withLock { index in
      index.add(keys: keys, isSwept: isKept) { id in
        ThemeSubscription(object, rules, EntryRegistration(id, of: self))
      }
    }
  }

  /// Returns the subscriptions to any of the changed keys, as lists to merge.
  func subscriptions(to changes: ThemeChanges) -> [NumberedList<ThemeSubscription>] {
    index.withLock { $0.groups(for: changes.keys) { changes[$0] != nil } }
  }

  /// Removes the subscriptions of dead objects.
  ///
  /// - Complexity: O(*n*) in the number of kept subscriptions.
  @MainActor
  func sweep() {
    let swept = index.withLock { $0.swept }
    swept.forEach { if !$0.isAlive { $0.registration.end() } }
  }

  /// Examines a sample of the swept subscriptions, and sweeps all of them if many are dead.
  @MainActor
  private func probe() {
    let swept = index.withLock { $0.swept }
    guard swept.count > 0 else { return }
    probes &+= 1
    var probe = SweepProbe(total: swept.slotCount, seed: probes)
    while let index = probe.next() {
      probe.record(isDead: swept.element(at: index)?.isAlive != true)
    }
    if probe.shouldSweep { sweep() }
  }
}

extension SubscriptionRegistry: RegistrationTable {
  func remove(_ id: EntryID) {
    let removed = index.withLock { $0.remove(id) }
    withExtendedLifetime(removed) {}
  }

  static func waitForCalls() async {
    // Subscribers are called on the main actor only, so a job there is a fence. A cancelled task
    // does not wait for it.
    let fence = Latch()
    Task { @MainActor in fence.open() }
    await fence.wait()
  }
}

/// An object that follows a theme by a map; the object is referenced weakly.
///
/// All members except the registration are isolated to the main actor.
@MainActor
final class ThemeSubscription {
  /// The registration, which removes the subscription when it ends.
  nonisolated let registration: EntryRegistration<SubscriptionRegistry>
  private weak var object: AnyObject?
  private let rules: [ThemeRule]

  init(
    _ object: AnyObject,
    _ rules: [ThemeRule],
    _ registration: EntryRegistration<SubscriptionRegistry>
  ) {
    (self.object, self.rules, self.registration) = (object, rules, registration)
  }

  /// True if the subscription has ended or is paused.
  private var isSilent: Bool { !registration.isOpen }

  /// True if the object is alive.
  ///
  /// Read it without holding a lock.
  var isAlive: Bool { object != nil }

  /// Sets the properties of the object, rule by rule, until the subscription ends or is paused.
  ///
  /// - Parameter value: Returns the value for a key, or `nil` to skip the rule. Called before each
  ///   rule, and after each transform.
  /// - Returns: `false` if the object has died.
  @discardableResult
  func apply(_ value: (AnyThemeKey) -> (any AnyThemeValue)?) -> Bool {
    // The reference is weak and not unowned: the last strong one may be released on another thread,
    // and the object's own `deinit` may cause the switch.
    guard let object else { return false }
    guard !isSilent else { return true }
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
      if isSilent { break }
    }
    return true
  }
}
