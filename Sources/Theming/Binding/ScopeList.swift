/// The scopes made from one manager, in the order in which they were made; none is kept.
@MainActor
internal struct ScopeList {
  private struct Place {
    weak var scope: ThemeManager?
  }

  private var places: [Place] = []
  private var limit = 8

  internal init() {}

  /// Adds a scope.
  ///
  /// There are never more places than 8, or twice the scopes that lived when the dead were last
  /// removed.
  ///
  /// - Complexity: Amortized O(1).
  internal mutating func append(_ scope: ThemeManager) {
    if places.count >= limit {
      places.removeAll { $0.scope == nil }
      limit = max(8, 2 * places.count)
    }
    places.append(Place(scope: scope))
  }

  /// The scopes that live.
  internal var living: [ThemeManager] { places.compactMap(\.scope) }

  /// How many places there are, with those of the dead.
  internal var placeCount: Int { places.count }
}
