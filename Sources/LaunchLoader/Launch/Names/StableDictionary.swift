internal import EventBus

/// A key whose hash value stays the same for the whole life of the process.
///
/// That of the standard library does not: with its static variant, keys that are stored before `main` may be hashed
/// before the seed is set.
protocol StableHashable: Equatable, Sendable {
  /// A hash value whose low bits depend on all of the key.
  var stableHash: Int { get }
}

/// A dictionary that can be filled before `main`, and whose keys are never removed.
///
/// A plain value. It keeps the hash values: the standard dictionary would hash each key again whenever it grows,
/// and compare more keys.
struct StableDictionary<Key: StableHashable, Value: Sendable>: Sendable {
  /// The keys and their values, in the order in which they were added.
  private(set) var entries: [(key: Key, value: Value)] = []
  /// An open hash table, at least half empty: in each slot the index of an entry, or `none`, and its hash value.
  private var slots: [(index: Int, hash: Int)] = []
  private static var none: Int { -1 }

  /// The value of a key.
  ///
  /// - Complexity: O(1).
  subscript(key: Key) -> Value? {
    guard !slots.isEmpty else { return nil }
    let index = slots[slot(of: key, key.stableHash)].index
    return index == Self.none ? nil : entries[index].value
  }

  /// Changes the value of a key, which is added if it is new.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: The value of a new key.
  ///   - change: Changes the value.
  /// - Returns: The result of the change.
  /// - Complexity: Amortized O(1).
  mutating func update<Result>(
    _ key: Key,
    default initial: Value,
    _ change: (inout Value) -> Result
  ) -> Result {
    defer { checkInvariants(ofSize: entries.count, _checkInvariants()) }
    if 2 * entries.count >= slots.count { grow() }
    let hash = key.stableHash
    let slot = slot(of: key, hash)
    if slots[slot].index == Self.none {
      slots[slot] = (entries.count, hash)
      entries.append((key, initial))
    }
    return change(&entries[slots[slot].index].value)
  }

  /// Stops the program if a key is not found, or the table is too full.
  ///
  /// - Complexity: O(*n*).
  func _checkInvariants() {
    let isFound = entries.indices.allSatisfy { index in
      slots[slot(of: entries[index].key, entries[index].key.stableHash)].index == index
    }
    assert(isFound, "a key is lost")
    assert(slots.count { $0.index != Self.none } == entries.count, "a key occurs twice")
    assert(2 * entries.count <= slots.count, "the table is too full")
  }

  /// Returns the slot of a key, or the free slot for it.
  private func slot(of key: Key, _ hash: Int) -> Int {
    var slot = hash & (slots.count - 1)
    while slots[slot].index != Self.none {
      if slots[slot].hash == hash, entries[slots[slot].index].key == key { break }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow() {
    let former = slots
    // A power of two, so that the low bits of a hash value select a slot.
    slots = Array(repeating: (Self.none, 0), count: max(16, 2 * former.count))
    for (index, hash) in former where index != Self.none {
      var slot = hash & (slots.count - 1)
      while slots[slot].index != Self.none { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = (index, hash)
    }
  }
}
