/// The names that are taken, who has them, and how that ended.
///
/// It remembers every name there ever was in the loader, and nothing of registrations without one.
internal struct LaunchNames: Sendable {
  /// How it stands with the work of a name.
  internal enum Standing: Sendable {
    /// It has not ended; while a launch runs, this is its row.
    case pending(at: Int)
    /// It finished.
    case finished
    /// It ended in another way.
    case failed
  }

  private struct Mark: Sendable {
    var site: LaunchSite
    var standing: Standing
  }

  private var numbers: [LaunchID: Int] = [:]
  private var marks: [Mark] = []
  private var free: [Int] = []

  /// Takes a name for a registration.
  ///
  /// - Returns: The number of the name, and, if it was taken before, where.
  /// - Complexity: Amortized O(1).
  internal mutating func take(_ id: LaunchID, at site: LaunchSite) -> (Int, taken: LaunchSite?) {
    let fresh = free.last ?? marks.count
    let number = Self.settle(&numbers[id], fresh)
    guard number == fresh else { return (number, marks[number].site) }
    let mark = Mark(site: site, standing: .pending(at: 0))
    if free.popLast() == nil { marks.append(mark) } else { marks[number] = mark }
    return (number, nil)
  }

  /// Gives a name free, as if it had never been taken.
  ///
  /// - Complexity: O(1).
  internal mutating func release(_ id: LaunchID) {
    if let number = numbers.removeValue(forKey: id) { free.append(number) }
  }

  /// How it stands with the work of a name; `nil` if nobody has it.
  internal func standing(of id: LaunchID) -> Standing? {
    numbers[id].map { marks[$0].standing }
  }

  /// Records how it stands with the work of a name.
  internal mutating func set(_ standing: Standing, for number: Int) {
    marks[number].standing = standing
  }

  /// In a function of its own, so that the name is hashed once.
  private static func settle(_ slot: inout Int?, _ fresh: Int) -> Int {
    if let number = slot { return number }
    slot = fresh
    return fresh
  }
}
