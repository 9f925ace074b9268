internal import EventBus

extension ThemeManager {
  /// Creates a manager for a part of the screen with its own look.
  ///
  /// A scope follows this manager: its theme is the theme in use here with the overrides on top.
  /// Aliases bind in the scope, so overriding a key also affects the aliases of that key. When this
  /// manager switches, the scope switches with it, and updates its views after those of this
  /// manager.
  ///
  /// ```swift
  /// extension ThemeKeys {
  ///   static let brand = ThemeKey("color.brand", default: RGBA(red: 0, green: 122, blue: 255))
  /// }
  ///
  /// let manager = ThemeManager(Theme("Day"))
  /// let sidebar = try manager.scope { $0[.brand] = RGBA(red: 0, green: 150, blue: 136) }
  /// ```
  ///
  /// The scope keeps a strong reference to this manager, which references it weakly. A scope lasts
  /// as long as a strong reference to it exists, such as that of a ``ThemeMap/scoped(_:)`` map.
  ///
  /// - Parameter override: A closure that overrides values. Called once, before this method
  ///   returns, with the theme in use. A name or an appearance that it sets also belongs to the
  ///   scope, even if it equals that of the theme in use.
  /// - Returns: The scope: a manager that can itself be switched, edited and scoped.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle`` if aliases form a cycle,
  ///   with the theme in use or with the pending one.
  /// - Complexity: O(*v*) in the number of values of the theme.
  public func scope(_ override: (inout Theme) -> Void) throws(ThemeError) -> ThemeManager {
    Self.lastScope += 1
    let number = Self.lastScope
    var own = theme.adding(ThemeLayer(scope: number))
    override(&own)
    let overlay = own.overrides(ofScope: number)
    if root.queue.hasRequests { _ = try upcoming.adding(overlay).checked() }
    let resolved = ResolvedTheme(theme.adding(overlay))
    try resolved.check()
    return ThemeManager(resolved, bus, parent: self, overlay: overlay)
  }

  /// Checks the theme in use, and those of all scopes of this manager, against contrast rules.
  ///
  /// - Parameter rules: The rules to check.
  /// - Returns: The issues of the theme in use, as ``Theme/contrastIssues(_:)`` finds them,
  ///   followed by those of the live scopes, each before its own scopes.
  /// - Complexity: O(*r* · *m*) for *r* rules and *m* managers.
  public func contrastIssues(_ rules: [ContrastRule]) -> [ContrastIssue] {
    theme.contrastIssues(rules) + scopes.flatMap { $0.contrastIssues(rules) }
  }

  /// The live scopes created from this manager, in order of creation.
  var scopes: [ThemeManager] {
    var scopes: [ThemeManager] = []
    scopeList.withLock { $0 }.forEach { if let scope = $0.scope { scopes.append(scope) } }
    return scopes
  }

  /// The number of slots in the list of scopes, including gaps.
  package var scopeSlotCount: Int { scopeList.withLock { $0.slotCount } }
}

/// A weak reference to a scope.
struct WeakScope: Sendable {
  weak let scope: ThemeManager?
}
