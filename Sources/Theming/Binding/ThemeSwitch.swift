public import EventBus

/// One manager's part in a switch.
@MainActor
struct ThemeSwitch {
  /// The manager.
  let manager: ThemeManager
  /// The theme before, and the same as views see it.
  let old: (theme: Theme, resolved: ResolvedTheme)
  /// The theme to come, and the same as views see it.
  let new: (theme: Theme, resolved: ResolvedTheme)
  /// The changes that a scope makes from now on, or `nil` when its theme is its own.
  let overlay: ThemeLayer?
}

/// What a switch does to a manager and the scopes that follow it.
///
/// Planning calls no code of the user, so nothing changes between a plan and the swap.
@MainActor
struct SwitchPlan {
  /// The parts, each manager before its scopes.
  private(set) var switches: [ThemeSwitch] = []
  /// Every manager that was looked at: where another thread drops the last other reference, the
  /// manager is released with the plan and not while it is made.
  private var managers: [ThemeManager] = []

  /// Creates a plan that changes nothing.
  init() {}

  /// Adds a manager and the scopes that follow it.
  ///
  /// - Parameters:
  ///   - manager: The manager.
  ///   - base: The theme that the manager above will have, or `nil` when there is none.
  ///   - wish: Returns the wish for a manager, if there is one.
  mutating func add(
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

  /// Throws if aliases of one of the themes form a cycle.
  func check() throws(ThemeError) {
    for part in switches { try part.new.resolved.check(part.new.theme) }
  }

  /// Whether no aliases form a cycle.
  var isSound: Bool { switches.allSatisfy { $0.new.resolved.cycle == nil } }
}

/// What a manager is asked to become.
enum ThemeWish {
  /// This theme, whatever lies above.
  case wear(Theme)
  /// For a scope: the theme of the manager above, with these changes.
  case overlay(ThemeLayer)

  /// The changes, or `nil` for a theme of one's own.
  var layer: ThemeLayer? {
    if case .overlay(let layer) = self { layer } else { nil }
  }

  /// The theme wished for.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` when there is none.
  /// - Returns: The theme, or `nil` when it wants a manager above and there is none.
  func theme(over base: Theme?) -> Theme? {
    switch self {
    case .wear(let theme): theme
    case .overlay(let layer): base?.laying(layer)
    }
  }
}

/// The switches that led to one another, from the one that began to the one that is being applied.
struct SwitchChain {
  /// How many openings of waiting events the caller who began was in; a switch that is asked for
  /// in a further one was not led to.
  let openings: Int
  /// The names of the themes so far.
  var names: [String] = []
  /// What was thrown to the first caller who asked in the last round.
  private var error: ThemeError?

  /// Creates the chain of nothing yet.
  ///
  /// - Parameter openings: How many openings of waiting events the caller is in.
  init(openings: Int = 0) { self.openings = openings }

  /// Takes note that a switch was asked for in the last round.
  ///
  /// - Parameter name: The name of its theme.
  /// - Returns: The error to be thrown to the caller.
  mutating func refuse(_ name: String) -> ThemeError {
    let refusal = ThemeError(.switchLoop, themes: names + [name])
    error = error ?? refusal
    return refusal
  }

  /// Throws to the caller who began what was thrown in the last round.
  func check() throws(ThemeError) {
    if let error { throw error }
  }
}

/// The payload of `themeDidChange`: a switch was made, and every view has its new values.
public struct ThemeDidChange: Sendable {
  /// The manager that switched, which is also the sender of the event.
  public let manager: ThemeManager
  /// The theme before.
  public let old: Theme
  /// The theme now.
  public let new: Theme
  /// The keys that read something else than before.
  ///
  /// Empty when the themes differ in their names alone.
  public let changedKeys: Set<ThemeKeys>
}

extension EventNames {
  /// Posted by a ``ThemeManager`` on its bus after a switch, with the manager as the sender.
  public static let themeDidChange = EventName<ThemeDidChange>("theme.didChange")
}
