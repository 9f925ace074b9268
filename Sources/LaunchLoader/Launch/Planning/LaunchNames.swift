internal import EventBus

/// The names that are taken, and the rows of the work that took them.
///
/// A plain value. Registrations without a name leave no trace. The complexity that the members state is that for
/// names in ASCII; other names of one length that differ only outside ASCII have one hash value, and are compared
/// one by one.
package struct LaunchNames: Sendable {
  /// The rows by name; `nil` for a name that was freed.
  private var rows = StableDictionary<LaunchID, Int?>()

  /// Creates an empty table.
  package init() {}

  /// Takes a name for a row.
  ///
  /// - Returns: The row that took the name before; `nil` if it was free.
  /// - Complexity: Amortized O(1).
  package mutating func take(_ id: LaunchID, for row: Int) -> Int? {
    rows.update(id, default: nil) { taken in
      if taken != nil { return taken }
      taken = row
      return nil
    }
  }

  /// Frees a name that is taken, as if it had never been.
  ///
  /// - Complexity: O(1).
  package mutating func release(_ id: LaunchID) { rows.update(id, default: nil) { $0 = nil } }

  /// Returns the number of the row that took a name, or `nil` if the name is free.
  ///
  /// - Complexity: O(1).
  package func row(of id: LaunchID) -> Int? { rows[id] ?? nil }

  /// The names that are taken, among which the closest one to an unknown name is searched.
  ///
  /// - Complexity: O(*n* log *n*).
  var suggestions: NameSuggestions {
    NameSuggestions(rows.entries.lazy.filter { $0.value != nil }.map(\.key.rawValue))
  }

  /// Stops the program if a name is not found, or the table is too full.
  ///
  /// - Complexity: O(*n*).
  package func _checkInvariants() { rows._checkInvariants() }
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
