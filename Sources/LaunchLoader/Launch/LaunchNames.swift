/// The names that are taken, and the rows of the work that took them.
///
/// A plain value. Names are numbered, and none is ever removed; registrations without a name leave no trace.
/// The table keeps the hash values: a dictionary would hash each name again whenever it grows, and compare
/// more texts.
package struct LaunchNames: Sendable {
  /// The names and the numbers of their rows, `none` for a released name.
  private var entries: [(id: LaunchID, row: Int)] = []
  /// An open hash table, at least half empty: in each slot the index of an entry, or `none`, and its hash value.
  private var slots: [(index: Int, hash: Int)] = []
  private static let none = -1

  /// Creates an empty table.
  package init() {}

  /// Takes a name for a row.
  ///
  /// - Returns: The row that took the name before; `nil` if it was free.
  /// - Complexity: Amortized O(1).
  package mutating func take(_ id: LaunchID, for row: Int) -> Int? {
    if 2 * entries.count >= slots.count { grow() }
    let hash = id.hashValue
    let slot = slot(of: id, hash)
    let index = slots[slot].index
    if index == Self.none {
      slots[slot] = (entries.count, hash)
      entries.append((id, row))
    } else if entries[index].row == Self.none {
      entries[index].row = row
    } else {
      return entries[index].row
    }
    return nil
  }

  /// Frees a name, as if it had never been taken.
  ///
  /// - Complexity: O(1).
  package mutating func release(_ id: LaunchID) {
    if let index = index(of: id) { entries[index].row = Self.none }
  }

  /// Returns the number of the row that took a name, or `nil` if the name is free.
  ///
  /// - Complexity: O(1).
  package func row(of id: LaunchID) -> Int? {
    guard let index = index(of: id), entries[index].row != Self.none else { return nil }
    return entries[index].row
  }

  /// Stops the program if a name is not found, or the table is too full.
  ///
  /// - Complexity: O(*n*).
  package func _checkInvariants() {
    assert(entries.indices.allSatisfy { index(of: entries[$0].id) == $0 }, "a name is lost")
    assert(slots.count { $0.index != Self.none } == entries.count, "a name occurs twice")
    assert(2 * entries.count <= slots.count, "the table is too full")
  }

  private func index(of id: LaunchID) -> Int? {
    guard !slots.isEmpty else { return nil }
    let index = slots[slot(of: id, id.hashValue)].index
    return index == Self.none ? nil : index
  }

  /// Returns the slot of a name, or the free slot for it.
  private func slot(of id: LaunchID, _ hash: Int) -> Int {
    var slot = hash & (slots.count - 1)
    while slots[slot].index != Self.none {
      if slots[slot].hash == hash, entries[slots[slot].index].id == id { break }
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
