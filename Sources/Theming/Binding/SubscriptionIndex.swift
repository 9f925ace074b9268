package import EventBus

/// Who is to be told about which key, in the order of subscription.
///
/// A plain value. Subscribers with the same keys, in the same order, share a lane, and each is in no
/// other one: views of one kind have one map. A key leads to the lanes that have it, so that a change
/// costs what it touches and not what there is. What is removed is returned, to be let go of outside
/// the lock that guards the index.
package struct SubscriptionIndex<Key: Hashable, Subscriber> {
  /// Where a subscription is found.
  package struct Place: Hashable, Sendable {
    /// The number of its lane; that of a lane that is gone is used again.
    package let lane: UInt
    /// Its own number, never used again.
    package let number: UInt

    /// Names a place.
    package init(lane: UInt, number: UInt) {
      self.lane = lane
      self.number = number
    }
  }

  /// A subscription that was removed.
  package struct Removed {
    /// The subscriber.
    package let subscriber: Subscriber
    /// Is told when the subscription ends by itself.
    package let watcher: WeakCancellable?
  }

  /// A subscription that nobody tells the end of.
  package struct Swept {
    /// The subscriber.
    package let subscriber: Subscriber
    /// Where it is.
    package let place: Place
  }

  fileprivate struct Lane {
    let keys: [Key]
    /// The number of the first of its members, which no other lane ever has.
    let number: UInt
    var members = OrderedLane<Subscriber>()
  }

  private var lanes: [Lane?] = []
  private var freeLanes: [UInt] = []
  private var lanesByKeys: [[Key]: UInt] = [:]
  private var lanesByKey: [Key: OrderedLane<UInt>] = [:]
  private var watchers: [UInt: WeakCancellable] = [:]
  private var lastNumber: UInt = 0

  /// Those that nobody tells the end of.
  package private(set) var swept = OrderedLane<Swept>()

  /// How many subscriptions there are.
  package private(set) var count = 0

  /// How many places are taken in all lanes, gaps included.
  package var placeCount: Int { lanes.reduce(0) { $0 + ($1?.members.placeCount ?? 0) } }

  /// How many lanes there is storage for, those that are gone included.
  package var laneCount: Int { lanes.count }

  /// Creates an empty index.
  package init() {}

  /// Adds a subscription behind all others.
  ///
  /// - Parameters:
  ///   - subscriber: Who is to be told.
  ///   - keys: Of what, each once.
  ///   - isSwept: Whether nobody tells when it ends.
  /// - Returns: Where it is.
  /// - Complexity: Amortized O(*k*) for *k* keys.
  package mutating func add(_ subscriber: Subscriber, keys: [Key], isSwept: Bool) -> Place {
    lastNumber += 1
    count += 1
    let place = Place(lane: lane(for: keys), number: lastNumber)
    lanes[Int(place.lane)]?.members.append(subscriber, number: lastNumber)
    if isSwept {
      swept.append(Swept(subscriber: subscriber, place: place), number: lastNumber)
    }
    return place
  }

  /// Removes a subscription.
  ///
  /// - Returns: What was removed; `nil` if it was removed before.
  /// - Complexity: O(log *n*), amortized, for *n* subscriptions with the same keys; O(*k* · log *l*)
  ///   for the last one of them, with *k* keys that *l* lanes have.
  package mutating func remove(_ place: Place) -> Removed? {
    let lane = Int(place.lane)
    guard lane < lanes.count,
      let subscriber = lanes[lane]?.members.remove(number: place.number)
    else { return nil }
    count -= 1
    if lanes[lane]?.members.count == 0 { close(place.lane) }
    if swept.count > 0 { _ = swept.remove(number: place.number) }
    let watcher = watchers.isEmpty ? nil : watchers.removeValue(forKey: place.number)
    return Removed(subscriber: subscriber, watcher: watcher)
  }

  /// Whether a subscription is there.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ place: Place) -> Bool { subscriber(at: place) != nil }

  /// The subscriber of a subscription, or `nil` when that is not there.
  ///
  /// - Complexity: O(log *n*).
  package func subscriber(at place: Place) -> Subscriber? {
    guard place.lane < lanes.count else { return nil }
    return lanes[Int(place.lane)]?.members.element(number: place.number)
  }

  /// Takes out everything that is to be notified when a subscription ends by itself.
  package mutating func takeWatchers() -> [WeakCancellable] {
    defer { watchers = [:] }
    return Array(watchers.values)
  }

  /// The number of places that were looked at to remove lanes from those of a key: a measure of the
  /// work, since the key was last without any lane.
  package func removalSteps(for key: Key) -> Int { lanesByKey[key]?.steps ?? 0 }

  /// Sets who is told when a subscription ends by itself.
  ///
  /// - Returns: Whether the subscription is there.
  package mutating func watch(_ place: Place, by watcher: WeakCancellable) -> Bool {
    guard contains(place) else { return false }
    watchers[place.number] = watcher
    return true
  }

  /// The lists of the subscribers to any of the keys, each in one of them, to be merged outside the
  /// lock.
  ///
  /// - Complexity: O(*l*) for the *l* lanes that the keys have together, whoever subscribed.
  package func lanes(for keys: some Sequence<Key>) -> [OrderedLane<Subscriber>] {
    var found: Set<UInt> = []
    for key in keys { found.formUnion(lanesByKey[key]?.elements ?? []) }
    return found.sorted().compactMap { lanes[Int($0)]?.members }
  }

  /// The lane of those that have these keys, in this order.
  private mutating func lane(for keys: [Key]) -> UInt {
    if let known = lanesByKeys[keys] { return known }
    let lane = freeLanes.popLast() ?? UInt(lanes.count)
    if lane == lanes.count { lanes.append(nil) }
    lanes[Int(lane)] = Lane(keys: keys, number: lastNumber)
    lanesByKeys[keys] = lane
    for key in keys { lanesByKey[key, default: OrderedLane()].append(lane, number: lastNumber) }
    return lane
  }

  /// Gives up a lane that nobody is in.
  private mutating func close(_ lane: UInt) {
    guard let (keys, number) = lanes[Int(lane)].map({ ($0.keys, $0.number) }) else { return }
    lanes[Int(lane)] = nil
    freeLanes.append(lane)
    lanesByKeys[keys] = nil
    for key in keys {
      _ = lanesByKey[key]?.remove(number: number)
      if lanesByKey[key]?.count == 0 { lanesByKey[key] = nil }
    }
    // What many lanes took at some time is given back when none is left.
    if count == 0, lanes.count > 8 { (lanes, freeLanes) = ([], []) }
  }
}

extension SubscriptionIndex.Lane: Sendable where Key: Sendable, Subscriber: Sendable {}
extension SubscriptionIndex.Removed: Sendable where Subscriber: Sendable {}
extension SubscriptionIndex.Swept: Sendable where Subscriber: Sendable {}
extension SubscriptionIndex: Sendable where Key: Sendable, Subscriber: Sendable {}
