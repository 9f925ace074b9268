internal import EventBus

extension ThemeManager {
  /// Makes a manager for a part of the screen that has a look of its own.
  ///
  /// A scope follows this manager: its theme is the theme in use here, with the changes laid over
  /// it. Aliases bind in the scope, so that changing a key moves everything that points at it. When
  /// this manager switches, the scope does, in the same switch, its views after those of this
  /// manager.
  ///
  /// ```swift
  /// let sidebar = try manager.scope { $0[.brand] = RGBA(red: 0, green: 150, blue: 136) }
  /// ```
  ///
  /// The scope keeps this manager, and is not kept by it: it lasts as long as somebody refers to it,
  /// as a map does that is ``ThemeMap/scoped(_:)``.
  ///
  /// - Parameter override: Sets the values that differ. Called once, before this returns; it sees
  ///   the theme in use. A name or an appearance that it sets is the scope's own, too, also when it
  ///   equals that of the theme in use.
  /// - Returns: The scope: a manager like this one, that can be switched, edited and scoped itself.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle`` when aliases lead in a
  ///   circle, with the theme in use or with the one that waits to be used next.
  /// - Complexity: O(*v*) in the number of values of the theme.
  public func scope(_ override: (inout Theme) -> Void) throws(ThemeError) -> ThemeManager {
    let number = ThemeLayer.nextScope()
    var own = theme.laying(ThemeLayer(scope: number))
    override(&own)
    let overlay = own.stack.changes(ofScope: number)
    if root.queue.isWaiting { _ = try upcoming.laying(overlay).checked() }
    let look = theme.laying(overlay)
    let scope = ThemeManager(
      look,
      try look.checkedResolution(),
      bus,
      parent: self,
      overlay: overlay
    )
    scopes.append(scope)
    return scope
  }

  /// The texts that cannot be read well in the theme in use, or in a scope of this manager.
  ///
  /// - Parameter rules: The contrasts to check.
  /// - Returns: The issues of the theme in use, as ``Theme/contrastIssues(_:)`` finds them, then those
  ///   of the scopes that live, each before its own scopes.
  /// - Complexity: O(*r* · *m*) for *r* rules and *m* managers.
  public func contrastIssues(_ rules: [ContrastRule]) -> [ContrastIssue] {
    theme.contrastIssues(rules) + scopes.living.flatMap { $0.contrastIssues(rules) }
  }

  /// How many places its scopes take, with those of the dead that are not removed yet.
  package var scopePlaceCount: Int { scopes.placeCount }
}

/// The scopes made from one manager, in the order in which they were made; none is kept.
@MainActor
struct ScopeList {
  private struct Place {
    weak var scope: ThemeManager?
  }

  private var places: [Place] = []
  private var limit = 8

  init() {}

  /// Adds a scope.
  ///
  /// There are never more places than 8, or twice the scopes that lived when the dead were last
  /// removed.
  ///
  /// - Complexity: Amortized O(1).
  mutating func append(_ scope: ThemeManager) {
    if places.count >= limit {
      places.removeAll { $0.scope == nil }
      limit = max(8, 2 * places.count)
    }
    places.append(Place(scope: scope))
  }

  /// The scopes that live.
  var living: [ThemeManager] { places.compactMap(\.scope) }

  /// How many places there are, with those of the dead.
  var placeCount: Int { places.count }
}
