/// How often plain observers were called, without counting at each call.
///
/// A plain observer is called by every post that walks its list, and walks are counted anyway. So the
/// ledger keeps how many there had been when observers were added, and what an observer missed.
package struct DeliveryLedger: Sendable {
  private struct Entry: Sendable {
    let number: UInt
    let walks: UInt
  }

  /// How many walks there were when the registrations from some number on were made; rising.
  private var entries: [Entry] = []
  /// Walks that an observer missed, being paused or excluded, by its address.
  private var missed: [UInt: UInt] = [:]
  /// How many walks there had been when an observer was paused, by its address.
  private var pausedAt: [UInt: UInt] = [:]
  /// How many walks there have been.
  package var walks: UInt = 0

  /// Creates an empty ledger.
  package init() {}

  /// Takes note of a registration.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - living: How many observers there are; it bounds what is kept.
  ///   - oldest: The number of the oldest observer there is.
  package mutating func added(_ number: UInt, living: Int, oldest: () -> UInt) {
    if entries.last?.walks != walks { entries.append(Entry(number: number, walks: walks)) }
    if entries.count > max(64, 2 * living) {
      let first = oldest()
      let keep = entries.lastIndex { $0.number <= first } ?? 0
      entries.removeFirst(keep)
    }
  }

  /// Forgets an observer that was removed.
  package mutating func removed(_ address: UInt) {
    if !missed.isEmpty { missed[address] = nil }
    if !pausedAt.isEmpty { pausedAt[address] = nil }
  }

  /// Takes note that an observer is paused, or no longer.
  package mutating func setPaused(_ address: UInt, _ isPaused: Bool) {
    if isPaused {
      if pausedAt[address] == nil { pausedAt[address] = walks }
    } else if let start = pausedAt.removeValue(forKey: address) {
      missed[address, default: 0] += walks - start
    }
  }

  /// Takes note that a post left an observer out.
  package mutating func missedOne(_ address: UInt) { missed[address, default: 0] += 1 }

  /// How often an observer was called.
  package func delivered(to observer: AnyObserver) -> UInt {
    let number = observer.order
    var low = 0
    var high = entries.count
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    let since = low > 0 ? entries[low - 1].walks : 0
    let address = observer.address
    let paused = pausedAt[address].map { walks - $0 } ?? 0
    return walks - since - (missed[address] ?? 0) - paused
  }
}
