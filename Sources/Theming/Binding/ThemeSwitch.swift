/// One manager's part in a switch.
@MainActor
internal struct ThemeSwitch {
  /// The manager.
  internal let manager: ThemeManager
  /// The theme before, and the same as views see it.
  internal let old: (theme: Theme, resolved: ResolvedTheme)
  /// The theme to come, and the same as views see it.
  internal let new: (theme: Theme, resolved: ResolvedTheme)
  /// The changes that a scope makes from now on, or `nil` when its theme is its own.
  internal let overlay: ThemeLayer?
}

/// What a switch does to a manager and the scopes that follow it.
///
/// Planning calls no code of the user, so nothing changes between a plan and the swap.
@MainActor
internal struct SwitchPlan {
  /// The parts, each manager before its scopes.
  internal private(set) var switches: [ThemeSwitch] = []
  /// Every manager that was looked at: where another thread drops the last other reference, the
  /// manager is released with the plan and not while it is made.
  private var managers: [ThemeManager] = []

  /// Creates a plan that changes nothing.
  internal init() {}

  /// Adds a manager and the scopes that follow it.
  ///
  /// - Parameters:
  ///   - manager: The manager.
  ///   - base: The theme that the manager above will have, or `nil` when there is none.
  ///   - wish: Returns the wish for a manager, if there is one.
  internal mutating func add(
    _ manager: ThemeManager,
    over base: Theme?,
    _ wish: (ThemeManager) -> ThemeWish?
  ) {
    managers.append(manager)
    // A scope that wears a theme of its own stays as it is, and so do those that follow it.
    guard let wished = wish(manager) ?? manager.overlay.map(ThemeWish.overlay),
      let theme = wished.theme(over: base)
    else { return }
    switches.append(
      ThemeSwitch(
        manager: manager,
        old: (manager.theme, manager.resolved),
        new: (theme, ResolvedTheme(theme.stack)),
        overlay: wished.layer
      )
    )
    for scope in manager.scopes.living { add(scope, over: theme, wish) }
  }

  /// Throws if aliases of one of the themes lead in a circle.
  internal func check() throws(ThemeError) {
    for part in switches { try part.new.resolved.check(part.new.theme) }
  }

  /// Whether no aliases lead in a circle.
  internal var isSound: Bool { switches.allSatisfy { $0.new.resolved.cycle == nil } }
}

/// What a manager is asked to become.
internal enum ThemeWish {
  /// This theme, whatever lies above.
  case wear(Theme)
  /// For a scope: the theme of the manager above, with these changes.
  case overlay(ThemeLayer)

  /// The changes, or `nil` for a theme of one's own.
  internal var layer: ThemeLayer? {
    if case .overlay(let layer) = self { layer } else { nil }
  }

  /// The theme wished for.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` when there is none.
  /// - Returns: The theme, or `nil` when it wants a manager above and there is none.
  internal func theme(over base: Theme?) -> Theme? {
    switch self {
    case .wear(let theme): theme
    case .overlay(let layer): base?.laying(layer)
    }
  }
}
