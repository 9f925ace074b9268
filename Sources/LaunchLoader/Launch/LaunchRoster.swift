/// The registrations of a loader in their order, before and during its launch.
///
/// A plain value. Whatever a caller may have to let go of is handed out, not dropped.
internal struct LaunchRoster: Sendable {
  /// A place in the roster; it does not change once the launch has begun.
  internal typealias Place = Int

  /// The rows, in order of registration; `nil` where one was withdrawn.
  private var rows: [LaunchRow?] = []
  /// The number of each row: increasing, parallel to `rows`.
  private var serials: [UInt64] = []
  private var withdrawnCount = 0
  private var anonymous = LaunchSiteCounter()
  private var isSealed = false
  /// Nothing waits before this place.
  private var start = 0
  /// Nothing that may be called waits before this place.
  private var callableStart = 0

  /// Creates an empty roster.
  internal init() {}

  /// Adds a registration at the end.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - serial: A number greater than those before.
  ///   - isWaiting: Whether it is to run; a duplicate is only recorded.
  /// - Complexity: Amortized O(1).
  internal mutating func append(
    _ registration: LaunchRegistration,
    serial: UInt64,
    isWaiting: Bool
  ) {
    var row = LaunchRow(registration: registration, id: registration.id, isWaiting: isWaiting)
    if isSealed { name(&row) }
    rows.append(row)
    serials.append(serial)
  }

  /// Takes a waiting registration out.
  ///
  /// Before the launch, gaps take at most as many places as rows, or eight.
  ///
  /// - Returns: The registration, or `nil` if it does not wait.
  /// - Complexity: O(log *n*), amortized.
  internal mutating func withdraw(_ serial: UInt64) -> LaunchRegistration? {
    guard let place = place(of: serial), let row = rows[place], row.isWaiting else { return nil }
    rows[place] = nil
    withdrawnCount += 1
    if !isSealed && withdrawnCount > max(8, rows.count / 2) { compact() }
    return row.registration
  }

  /// Fixes the places and names the nameless.
  ///
  /// - Complexity: O(*n*).
  internal mutating func seal() {
    compact()
    isSealed = true
    for place in rows.indices {
      guard var row = rows[place] else { continue }
      name(&row)
      rows[place] = row
    }
  }

  /// Takes the next registration that waits, in order.
  ///
  /// - Complexity: Amortized O(1) over a launch.
  internal mutating func takeNext() -> (LaunchRegistration, Place)? {
    start = firstWaiting(from: start) { _ in true }
    return take(at: start)
  }

  /// Takes the next registration that waits and may be called without waiting, in order.
  ///
  /// - Parameter actor: The actor to be called on; the same one each time.
  /// - Returns: The registration and its place, or `nil` if there is none.
  /// - Complexity: Amortized O(1) over a launch.
  internal mutating func takeNextCallable(
    on actor: ObjectIdentifier?
  ) -> (LaunchRegistration, Place)? {
    callableStart = firstWaiting(from: callableStart) { $0.isCallable(on: actor) }
    return take(at: callableStart)
  }

  /// Whether anything waits.
  ///
  /// - Complexity: Amortized O(1) over a launch.
  internal mutating func hasWaiting() -> Bool {
    start = firstWaiting(from: start) { _ in true }
    return start < rows.count
  }

  /// Records when a piece of work ran.
  internal mutating func record(_ times: LaunchTimes, at place: Place) {
    rows[place]?.times = times
  }

  /// Whether the work of a place has begun and not ended.
  internal func isRunning(_ place: Place) -> Bool {
    rows[place].map { !$0.isWaiting && $0.times == nil } ?? false
  }

  /// Hands all rows out.
  internal consuming func finish() -> [LaunchRow] {
    rows.compactMap(\.self)
  }

  private func firstWaiting(from place: Place, where isWanted: (LaunchKind) -> Bool) -> Place {
    rows[place...].firstIndex { row in
      row.map { $0.isWaiting && isWanted($0.registration.kind) } ?? false
    } ?? rows.count
  }

  private mutating func take(at place: Place) -> (LaunchRegistration, Place)? {
    guard place < rows.count, let registration = rows[place]?.registration else { return nil }
    rows[place]?.isWaiting = false
    return (registration, place)
  }

  private mutating func name(_ row: inout LaunchRow) {
    guard row.id == nil else { return }
    row.id = anonymous.next(fileID: row.registration.fileID, line: row.registration.line)
  }

  private mutating func compact() {
    guard withdrawnCount > 0 else { return }
    serials = zip(rows, serials).compactMap { row, serial in row == nil ? nil : serial }
    rows.removeAll { $0 == nil }
    withdrawnCount = 0
  }

  private func place(of serial: UInt64) -> Place? {
    var low = 0
    var high = serials.count
    while low < high {
      let middle = low + (high - low) / 2
      if serials[middle] < serial { low = middle + 1 } else { high = middle }
    }
    return low < serials.count && serials[low] == serial ? low : nil
  }
}
