internal import EventBus

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

  /// The names that are taken, among which the closest one to an unknown name is searched.
  ///
  /// - Complexity: O(*n* log *n*).
  var suggestions: NameSuggestions {
    NameSuggestions(entries.lazy.filter { $0.row != Self.none }.map(\.id.rawValue))
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
  /// be hashed before the seed is set. The function is multiplicative, eight bytes at a time (D. E. Knuth, The Art
  /// of Computer Programming, 6.4). Texts that are canonically equivalent are equal, so their characters count,
  /// and all that are not ASCII count alike.
  private static func hash(of id: LaunchID) -> Int {
    let known = unsafe id.rawValue.utf8.withContiguousStorageIfAvailable {  // Reason: only read.
      unsafe hash(of: UnsafeRawBufferPointer($0))  // Reason: only read.
    }
    if let known, known.isASCII { return known.hash }
    let bytes = id.rawValue.map { character in
      // The only characters of ASCII that other characters are equivalent to.
      let equal = (["K", ";", "`"] as [Character]).first { $0 == character }
      return (equal ?? character).asciiValue ?? 0x80
    }
    return unsafe bytes.withUnsafeBytes { unsafe hash(of: $0).hash }  // Reason: only read.
  }

  private static func hash(of bytes: UnsafeRawBufferPointer) -> (hash: Int, isASCII: Bool) {
    var (hash, all): (UInt64, UInt64) = (UInt64(bytes.count), 0)
    func combine(_ word: UInt64) {
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> (32 as UInt64)
      all |= word
    }
    var (at, rest) = (0, 0 as UInt64)
    while at + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)  // Reason: inside.
      combine(word)
      at += 8
    }
    while at < bytes.count {
      rest = rest << 8 | UInt64(unsafe bytes[at])  // Reason: inside.
      at += 1
    }
    combine(rest)
    // The low bits, which select the slot, depend on the high ones also in the last bytes.
    hash &*= 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> (32 as UInt64)
    return (Int(truncatingIfNeeded: hash), all & 0x8080_8080_8080_8080 == 0)
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

extension NameSuggestions {
  /// The number of faults in the dependencies of a launch for which the closest name is searched: a search
  /// visits every name.
  static var launchLimit: Int { 100 }

  /// Returns the registered name closest to an unknown one, except that of the work that needs it.
  func nearest(to id: LaunchID, neededBy row: LaunchRow) -> LaunchID? {
    nearest(to: id.rawValue, except: row.registration.id?.rawValue).map { LaunchID($0) }
  }
}
