package import EventBus

/// The subscribers of each key, in the order of subscription.
///
/// A plain value. Subscribers with the same keys in the same order form a group, and each belongs
/// to exactly one group: views of one kind share one map. A key leads to the groups that contain
/// it, so the cost of a change depends on the subscribers it affects, not on the number of all
/// subscribers. Removal returns the removed objects, which the caller releases outside the lock
/// that guards the index.
package struct SubscriptionIndex<Key: Hashable & Sendable, Subscriber: Sendable>: Sendable {
  /// The subscriptions with the same keys.
  private struct Group: Sendable {
    let keys: [Key]
    /// The number of the first member.
    let number: UInt
    var members = NumberedList<Subscriber>()
  }

  /// The groups by number; those without members are free.
  private var groups: [Group] = []
  private var freeGroups: [UInt] = []
  private var groupsByKeys: [[Key]: UInt] = [:]
  private var groupsByKey: [Key: NumberedList<UInt>] = [:]
  private var lastNumber: UInt = 0

  /// The subscribers whose end is found by sweeping only.
  package private(set) var swept = NumberedList<Subscriber>()

  /// The number of subscriptions.
  package private(set) var count = 0

  /// The number of slots in all groups, including gaps.
  package var slotCount: Int { groups.reduce(0) { $0 + $1.members.slotCount } }

  /// The number of groups, including free ones.
  package var groupCount: Int { groups.count }

  /// Creates an empty index.
  package init() {}

  /// Adds a subscription behind all others.
  ///
  /// - Parameters:
  ///   - keys: The keys of the subscriber, each once.
  ///   - isSwept: Pass `true` if only sweeping finds the end of the subscription.
  ///   - make: Creates the subscriber, given the identifier of the subscription, which is never reused.
  /// - Returns: The subscriber.
  /// - Complexity: Amortized O(*k*) for *k* keys.
  package mutating func add(keys: [Key], isSwept: Bool, _ make: (EntryID) -> Subscriber)
    -> Subscriber
  {
    lastNumber += 1
    count += 1
    let group = groupsByKeys[keys] ?? open(keys)
    let subscriber = make(EntryID(group: group, number: lastNumber))
    groups[Int(group)].members.append(subscriber, number: lastNumber)
    if isSwept { swept.append(subscriber, number: lastNumber) }
    return subscriber
  }

  /// Removes a subscription.
  ///
  /// - Returns: The subscriber; `nil` if the subscription was removed before.
  /// - Complexity: O(log *n*), amortized, for *n* subscriptions with the same keys; O(*k* · log
  ///   *l*) for the last one of them, with *k* keys that *l* groups contain.
  package mutating func remove(_ id: EntryID) -> Subscriber? {
    let group = Int(id.group)
    guard group < groups.count, let subscriber = groups[group].members.remove(number: id.number)
    else { return nil }
    count -= 1
    if groups[group].members.count == 0 { close(id.group) }
    _ = swept.remove(number: id.number)
    return subscriber
  }

  /// Returns whether the index contains a subscription.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ id: EntryID) -> Bool {
    id.group < groups.count && groups[Int(id.group)].members.element(number: id.number) != nil
  }

  /// The subscribers, in no order.
  var subscribers: [Subscriber] { groups.flatMap(\.members.elements) }

  /// Returns the lists of the subscribers to any of the keys, for merging outside the lock.
  ///
  /// Each subscriber is in exactly one list.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - contains: Returns whether a key is one of them.
  /// - Returns: The lists.
  /// - Complexity: O(*l*) for the *l* groups that the keys have together, plus O(*k*) for *k* keys or, if there are
  ///   fewer, for the keys of all subscribers; regardless of the number of subscribers.
  package func groups(
    for keys: some Collection<Key>,
    _ contains: (Key) -> Bool
  ) -> [NumberedList<Subscriber>] {
    var found: [NumberedList<Subscriber>] = []
    func collect(_ key: Key) {
      // A group with several of the keys is found by the first one.
      groupsByKey[key]?.forEach { group in
        let group = groups[Int(group)]
        if group.keys.first(where: contains) == key { found.append(group.members) }
      }
    }
    if groupsByKey.count < keys.count {
      for key in groupsByKey.keys where contains(key) { collect(key) }
    } else {
      for key in keys { collect(key) }
    }
    return found
  }

  /// Stops the program if the tables contradict one another.
  package func _checkInvariants() {
    var numbers: Set<UInt> = []
    var free: Set<UInt> = []
    for (index, group) in groups.enumerated() {
      group.members._checkInvariants()
      numbers.formUnion(group.members.entries.map(\.number))
      if group.members.count == 0 {
        free.insert(UInt(index))
        continue
      }
      assert(groupsByKeys[group.keys] == UInt(index), "a list of keys does not lead to its group")
      let isFound = group.keys.allSatisfy {
        groupsByKey[$0]?.element(number: group.number) == UInt(index)
      }
      assert(isFound, "a key does not lead to a group that contains it")
    }
    assert(freeGroups.sorted() == free.sorted(), "the free groups are not the empty ones")
    assert(groupsByKeys.count == groups.count - free.count, "keys lead to a free group")
    for groups in groupsByKey.values {
      groups._checkInvariants()
      assert(groups.count > 0, "a key leads to no group")
      assert(free.isDisjoint(with: groups.elements), "a key leads to a free group")
    }
    assert(numbers.count == count, "the count is wrong")
    swept._checkInvariants()
    assert(numbers.isSuperset(of: swept.entries.map(\.number)), "an ended subscription is swept")
  }

  /// Adds a group, or takes a free one.
  private mutating func open(_ keys: [Key]) -> UInt {
    let group = freeGroups.popLast() ?? UInt(groups.count)
    let opened = Group(keys: keys, number: lastNumber)
    if group == groups.count { groups.append(opened) } else { groups[Int(group)] = opened }
    groupsByKeys[keys] = group
    for key in keys { groupsByKey[key, default: NumberedList()].append(group, number: lastNumber) }
    return group
  }

  /// Removes an empty group, and marks its slot as free.
  private mutating func close(_ group: UInt) {
    let closed = groups[Int(group)]
    freeGroups.append(group)
    groupsByKeys[closed.keys] = nil
    for key in closed.keys {
      guard let index = groupsByKey.index(forKey: key) else { continue }
      _ = groupsByKey.values[index].remove(number: closed.number)
      if groupsByKey.values[index].count == 0 { groupsByKey.remove(at: index) }
    }
    // Releases the storage when no group is left.
    if count == 0, groups.count > 8 { (groups, freeGroups) = ([], []) }
  }
}
