/// One manager's part in a switch, planned before anything is changed.
@MainActor
internal struct ThemeSwitch {
  /// Whose part it is.
  internal let manager: ThemeManager
  /// The theme before.
  internal let old: Theme
  /// The theme to come.
  internal let new: Theme
  /// The same as views see it.
  internal let resolved: ResolvedTheme
  /// The keys that will read something else, each with what.
  internal let changes: ThemeChanges

  /// What is told of it when it is done.
  internal var event: ThemeDidChange {
    ThemeDidChange(old: old, new: new, changedKeys: Set(changes.keys))
  }
}

/// What a manager is asked to become.
internal enum ThemeWish {
  /// This theme, whatever lies above.
  case wear(Theme)
  /// For a scope: the theme of the manager above, with these changes.
  case overlay(ThemeOverlay)

  /// The theme wished for.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` when there is none.
  /// - Returns: The theme, or `nil` when it wants a manager above and there is none.
  internal func theme(over base: Theme?) -> Theme? {
    switch self {
    case .wear(let theme): theme
    case .overlay(let overlay): base.map(overlay.laid)
    }
  }
}
