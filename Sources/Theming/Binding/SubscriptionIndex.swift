package import EventBus

/// The subscribers of each key, in the order of subscription.
///
/// A plain value. Subscribers with the same keys in the same order form a group, and each belongs
/// to exactly one group: views of one kind share one map. A key leads to the groups that contain
/// it, so the cost of a change depends on the subscribers it affects, not on the number of all
/// subscribers. Removal returns the removed objects, which the caller releases outside the lock
/// that guards the index.
package struct SubscriptionIndex<Key: Hashable & Sendable, Subscriber: Sendable>: Sendable {
  /// Identifies a subscription: the number of its group, which is reused once the group is closed,
  /// and its own number, which is never reused.
  package typealias ID = (group: UInt, number: UInt)

  /// The subscriptions with the same keys.
  private struct Group: Sendable {
    let keys: [Key]
    /// The number of the first member.
    let number: UInt
    var members = NumberedList<Subscriber>()
  }

  private var groups: [Group?] = []
  private var freeGroups: [UInt] = []
  private var groupsByKeys: [[Key]: UInt] = [:]
  private var groupsByKey: [Key: NumberedList<UInt>] = [:]
  private var lastNumber: UInt = 0

  /// The subscriptions whose end is found by sweeping only.
  package private(set) var swept = NumberedList<(subscriber: Subscriber, id: ID)>()

  /// The number of subscriptions.
  package private(set) var count = 0

  /// The number of slots in all groups, including gaps.
  package var slotCount: Int { groups.reduce(0) { $0 + ($1?.members.slotCount ?? 0) } }

  /// The number of groups in the storage, including closed ones.
  package var groupCount: Int { groups.count }

  /// Creates an empty index.
  package init() {}

  /// Adds a subscription behind all others.
  ///
  /// - Parameters:
  ///   - keys: The keys of the subscriber, each once.
  ///   - isSwept: Pass `true` if only sweeping finds the end of the subscription.
  ///   - make: Creates the subscriber, given the identifier of the subscription.
  /// - Returns: The subscriber.
  /// - Complexity: Amortized O(*k*) for *k* keys.
  package mutating func add(keys: [Key], isSwept: Bool, _ make: (ID) -> Subscriber) -> Subscriber {
    lastNumber += 1
    count += 1
    let id = (group: group(for: keys), number: lastNumber)
    let subscriber = make(id)
    groups[Int(id.group)]?.members.append(subscriber, number: lastNumber)
    if isSwept { swept.append((subscriber, id), number: lastNumber) }
    return subscriber
  }

  /// Removes a subscription.
  ///
  /// - Returns: The subscriber; `nil` if the subscription was removed before.
  /// - Complexity: O(log *n*), amortized, for *n* subscriptions with the same keys; O(*k* · log
  ///   *l*) for the last one of them, with *k* keys that *l* groups contain.
  package mutating func remove(_ id: ID) -> Subscriber? {
    let group = Int(id.group)
    guard group < groups.count,
      let subscriber = groups[group]?.members.remove(number: id.number)
    else { return nil }
    count -= 1
    if groups[group]?.members.count == 0 { close(id.group) }
    if swept.count > 0 { _ = swept.remove(number: id.number) }
    return subscriber
  }

  /// A Boolean value that indicates whether the index contains a subscription.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ id: ID) -> Bool {
    id.group < groups.count && groups[Int(id.group)]?.members.element(number: id.number) != nil
  }

  /// The subscribers, in no order.
  var subscribers: [Subscriber] { groups.flatMap { $0?.members.elements ?? [] } }

  /// Returns the number of slots examined to remove groups from the list of a key: a measure of
  /// the work since that list was last empty.
  package func removalSteps(for key: Key) -> Int { groupsByKey[key]?.steps ?? 0 }

  /// Returns the lists of the subscribers to any of the keys, for merging outside the lock.
  ///
  /// Each subscriber is in exactly one list.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - contains: Returns whether a key is one of them, without a search in a table that costs as much as one here.
  /// - Returns: The lists.
  /// - Complexity: O(*l*) for the *l* groups that the keys have together, plus O(*k*) for *k* keys or, if there are
  ///   fewer, for the keys of all subscribers; regardless of the number of subscribers.
  package func groups(
    for keys: some Collection<Key>,
    _ contains: ((Key) -> Bool)? = nil
  ) -> [NumberedList<Subscriber>] {
    var found: Set<UInt> = []
    if let contains, groupsByKey.count < keys.count {
      for (key, groups) in groupsByKey where contains(key) { found.formUnion(groups.elements) }
    } else {
      for key in keys { found.formUnion(groupsByKey[key]?.elements ?? []) }
    }
    return found.sorted().compactMap { groups[Int($0)]?.members }
  }

  /// Stops the program if the tables contradict one another.
  package func _checkInvariants() {
    var numbers: Set<UInt> = []
    var closed: Set<UInt> = []
    for (index, group) in groups.enumerated() {
      guard let group else {
        closed.insert(UInt(index))
        continue
      }
      group.members._checkInvariants()
      numbers.formUnion(group.members.entries.map(\.number))
      assert(group.members.count > 0, "an empty group is open")
      assert(groupsByKeys[group.keys] == UInt(index), "a list of keys does not lead to its group")
      for key in group.keys {
        let found = groupsByKey[key]?.element(number: group.number)
        assert(found == UInt(index), "a key does not lead to a group that contains it")
      }
    }
    for groups in groupsByKey.values {
      groups._checkInvariants()
      assert(groups.count > 0, "a key leads to no group")
      assert(closed.isDisjoint(with: groups.elements), "a key leads to a closed group")
    }
    assert(groupsByKeys.count == groups.count - closed.count, "keys lead to a closed group")
    assert(freeGroups.sorted() == closed.sorted(), "the free groups are not the closed ones")
    assert(numbers.count == count, "the count is wrong")
    swept._checkInvariants()
    assert(swept.entries.allSatisfy { contains($0.element.id) }, "an ended subscription is swept")
  }

  /// Returns the group for a list of keys, creating it if necessary.
  private mutating func group(for keys: [Key]) -> UInt {
    if let known = groupsByKeys[keys] { return known }
    let group = freeGroups.popLast() ?? UInt(groups.count)
    if group == groups.count { groups.append(nil) }
    groups[Int(group)] = Group(keys: keys, number: lastNumber)
    groupsByKeys[keys] = group
    for key in keys { groupsByKey[key, default: NumberedList()].append(group, number: lastNumber) }
    return group
  }

  /// Removes an empty group.
  private mutating func close(_ group: UInt) {
    guard let closed = groups[Int(group)].take() else { return }
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
