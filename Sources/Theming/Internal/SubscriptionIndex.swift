package import EventBus

/// Who is to be told about which key, in the order of subscription.
///
/// A plain value. Subscribers are found by key, so that a change costs what it touches and not what
/// there is. What is removed is returned, to be let go of outside the lock that guards the index.
package struct SubscriptionIndex<Key: Hashable, Subscriber> {
  /// A subscriber, and what must be known to remove it.
  package struct Entry {
    /// The subscriber.
    package let subscriber: Subscriber
    /// Its keys, each once.
    package let keys: [Key]
    /// Whether nobody tells of its end, so that it must be looked after.
    package let isSwept: Bool
    /// Is told when the subscription ends by itself.
    package var watcher: WeakCancellable?
  }

  private var entries = OrderedLane<Entry>()
  private var lanes: [Key: OrderedLane<Subscriber>] = [:]
  private var lastNumber: UInt = 0

  /// Those that nobody tells the end of.
  package private(set) var swept = OrderedLane<Subscriber>()

  /// How many subscriptions there are.
  package var count: Int { entries.count }

  /// How many places are taken in the longest of the lists, gaps included.
  package var placeCount: Int {
    lanes.values.reduce(entries.placeCount) { max($0, $1.placeCount) }
  }

  /// Creates an empty index.
  package init() {}

  /// Adds a subscription behind all others.
  ///
  /// - Parameters:
  ///   - subscriber: Who is to be told.
  ///   - keys: Of what, each once.
  ///   - isSwept: Whether nobody tells when it ends.
  /// - Returns: The number that removes it; never used again.
  /// - Complexity: Amortized O(*k*) for *k* keys.
  package mutating func add(_ subscriber: Subscriber, keys: [Key], isSwept: Bool) -> UInt {
    lastNumber += 1
    entries.append(Entry(subscriber: subscriber, keys: keys, isSwept: isSwept), number: lastNumber)
    for key in keys { lanes[key, default: OrderedLane()].append(subscriber, number: lastNumber) }
    if isSwept { swept.append(subscriber, number: lastNumber) }
    return lastNumber
  }

  /// Removes a subscription.
  ///
  /// - Returns: What was removed; `nil` if it was removed before.
  /// - Complexity: O(*k* log *n*), amortized, for *k* keys and *n* subscriptions.
  package mutating func remove(_ number: UInt) -> Entry? {
    guard let entry = entries.remove(number: number) else { return nil }
    for key in entry.keys {
      _ = lanes[key]?.remove(number: number)
      if lanes[key]?.count == 0 { lanes[key] = nil }
    }
    if entry.isSwept { _ = swept.remove(number: number) }
    return entry
  }

  /// Whether a subscription is there.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ number: UInt) -> Bool { entries.element(number: number) != nil }

  /// Sets who is told when a subscription ends by itself.
  ///
  /// - Returns: Whether the subscription is there.
  package mutating func watch(_ number: UInt, by watcher: WeakCancellable) -> Bool {
    entries.update(number: number) { $0.watcher = watcher }
  }

  /// The lists of the subscribers to any of the keys, to be merged outside the lock.
  ///
  /// - Complexity: O(*k*) for *k* keys, whoever subscribed.
  package func lanes(for keys: some Sequence<Key>) -> [OrderedLane<Subscriber>] {
    keys.compactMap { lanes[$0] }
  }
}

extension SubscriptionIndex.Entry: Sendable where Key: Sendable, Subscriber: Sendable {}
extension SubscriptionIndex: Sendable where Key: Sendable, Subscriber: Sendable {}
