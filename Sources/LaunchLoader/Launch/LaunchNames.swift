/// The names that are taken, and the rows of the work that took them.
///
/// A plain value. Names are numbered, and none is ever removed; registrations without a name leave no trace.
/// The table keeps the hash values: a dictionary would hash each name again whenever it grows, and compare
/// more texts. The complexity that the members state is that for names in ASCII; other names of one length that
/// differ only outside ASCII have one hash value, and are compared one by one.
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
    let hash = Self.hash(of: id)
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
    let index = slots[slot(of: id, Self.hash(of: id))].index
    return index == Self.none ? nil : index
  }

  /// Returns a hash value that stays the same for the whole life of the process.
  ///
  /// That of the standard library does not: with its static variant, names that are registered before `main` may
  /// be hashed before the seed is set. The function is FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). Texts that are
  /// canonically equivalent are equal, so their characters count, and all that are not ASCII count alike.
  private static func hash(of id: LaunchID) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func combine(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    if id.rawValue.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in id.rawValue.utf8 { combine(byte) }
    } else {
      for character in id.rawValue {
        // The only characters of ASCII that other characters are equivalent to.
        let equal = (["K", ";", "`"] as [Character]).first { $0 == character }
        combine((equal ?? character).asciiValue ?? 0x80)
      }
    }
    return Int(truncatingIfNeeded: hash)
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
