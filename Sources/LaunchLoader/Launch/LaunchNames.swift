/// The names that are taken, with the source sites and the results of their registrations.
///
/// A plain value. Every name ever registered is kept; registrations without a name leave no trace.
struct LaunchNames: Sendable {
  /// The source site of a name's registration, the key of the value that it makes, its row, whether the
  /// work has finished, `nil` if that was not recorded yet, and why it was skipped.
  typealias Entry = (
    site: LaunchSite, makes: LaunchKeys?, row: Int, hasFinished: Bool?, skipped: LaunchOutcome?
  )

  private var numbers: [LaunchID: Int] = [:]
  private var entries: [Entry] = []
  private var free: [Int] = []

  /// Takes a name for a registration.
  ///
  /// - Returns: The number of the name, and the source site of its first registration if it was taken.
  /// - Complexity: Amortized O(1).
  mutating func take(
    _ id: LaunchID,
    for registration: LaunchRegistration,
    row: Int
  ) -> (number: Int, taken: LaunchSite?) {
    let fresh = free.last ?? entries.count
    let number = Self.settle(&numbers[id], fresh)
    guard number == fresh else { return (number, entries[number].site) }
    let entry: Entry = (registration.site, registration.makes, row, nil, nil)
    if free.popLast() == nil { entries.append(entry) } else { entries[number] = entry }
    return (number, nil)
  }

  /// Frees a name, as if it had never been taken.
  ///
  /// - Complexity: O(1).
  mutating func release(_ id: LaunchID) {
    if let number = numbers.removeValue(forKey: id) { free.append(number) }
  }

  /// Returns the entry of a name, or `nil` if the name is not taken.
  subscript(id: LaunchID) -> Entry? { numbers[id].map { entries[$0] } }

  /// Records the outcome of the work of a name, without the error that it may contain.
  mutating func record(_ outcome: LaunchOutcome, for number: Int) {
    entries[number].hasFinished = outcome.isFinished
    if case .skipped = outcome { entries[number].skipped = outcome }
  }

  /// A separate function, so that the name is hashed once.
  private static func settle(_ slot: inout Int?, _ fresh: Int) -> Int {
    if let number = slot { return number }
    slot = fresh
    return fresh
  }
}
