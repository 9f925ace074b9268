package import EventBus

/// Somebody who is told of changes on the main actor, until told that it has ended.
package protocol RegistrySubscriber: AnyObject, Sendable {
  /// Called once, on any thread, when the subscription has ended: no call begins any more.
  nonisolated func subscriptionDidEnd()

  /// Whether the object behind the subscription lives. Asked outside every lock.
  @MainActor var isAlive: Bool { get }
}

/// The subscriptions of one manager: the shell that holds the lock around a ``SubscriptionIndex``.
///
/// Subscriptions begin on the main actor. They end wherever their token is cancelled or let go, and
/// a view may be released on any thread: so the index is behind a lock and a subscriber's flag is
/// atomic. Everything else about a subscriber belongs to the main actor.
///
/// ```
/// view ──► token ╌╌weak╌╌► registry ──► subscriber ╌╌weak╌╌► view
/// ```
package final class SubscriptionRegistry<
  Key: Hashable & Sendable,
  Subscriber: RegistrySubscriber
>: Sendable {
  private let index = Locked(SubscriptionIndex<Key, Subscriber>())
  @MainActor private var probes: UInt = 0

  /// Creates an empty registry.
  package init() {}

  /// How many subscriptions there are, with those of dead objects that nobody told of.
  package var count: Int { index.withLock { $0.count } }

  /// How many places they take, gaps included.
  package var placeCount: Int { index.withLock { $0.placeCount } }

  /// Adds a subscription that lasts as long as its token.
  ///
  /// - Parameters:
  ///   - subscriber: Who is to be told.
  ///   - keys: Of what, each once.
  /// - Returns: The token. The subscription ends when it is dropped.
  @MainActor
  package func add(_ subscriber: Subscriber, keys: [Key]) -> Token {
    let number = index.withLock { $0.add(subscriber, keys: keys, isSwept: false) }
    return Token { [weak self] in self?.remove(number) }
  }

  /// Adds a subscription that lasts as long as the object behind it, or until it is cancelled.
  ///
  /// - Parameters:
  ///   - subscriber: Who is to be told.
  ///   - keys: Of what, each once.
  ///   - lifetime: Tells when the object dies. Without one, the dead are looked for.
  /// - Returns: The token. Dropping it does nothing.
  @MainActor
  package func addKept(_ subscriber: Subscriber, keys: [Key], until lifetime: Lifetime?) -> Token {
    let isSwept = lifetime == nil
    let number = index.withLock { $0.add(subscriber, keys: keys, isSwept: isSwept) }
    // Subscribers are called on the main actor only, so a turn there is the fence.
    let fence: @Sendable () async -> Void = { await MainActor.run {} }
    let action = CancelAction(fence: fence) { [weak self] in self?.remove(number) }
    let token = Token(action, handle: 0, isKept: true)
    if let lifetime { return token.attached(to: lifetime) }
    let watcher = WeakCancellable(token)
    index.withLock { _ = $0.watch(number, by: watcher) }
    probe()
    return token
  }

  /// The subscribers to any of the keys, in the order of subscription.
  package func subscribers(to keys: some Sequence<Key>) -> [Subscriber] {
    let lanes = index.withLock { $0.lanes(for: keys) }
    return OrderedLane.merged(lanes)
  }

  /// Removes the subscriptions whose objects have died without telling.
  ///
  /// - Complexity: O(*n*) in the number of those that cannot tell.
  @MainActor
  package func sweep() {
    let swept = index.withLock { $0.swept }
    for (number, subscriber) in swept.entries where !subscriber.isAlive {
      remove(number)?.watcher?.object?.cancel()
    }
  }

  /// Removes a subscription, whose contents the caller lets go outside the lock.
  @discardableResult
  private func remove(_ number: UInt) -> SubscriptionIndex<Key, Subscriber>.Entry? {
    let entry = index.withLock { $0.remove(number) }
    entry?.subscriber.subscriptionDidEnd()
    return entry
  }

  /// Looks at a few of the swept objects and, where many are dead, at all.
  @MainActor
  private func probe() {
    let swept = index.withLock { $0.swept }
    probes &+= 1
    var probe = SweepProbe(total: swept.placeCount, seed: probes)
    while let place = probe.next() {
      if swept.element(at: place)?.isAlive != true { probe.foundDead() }
    }
    if probe.shouldSweep { sweep() }
  }
}
