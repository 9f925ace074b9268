public import EventBus

/// The change that a switch makes to one manager.
@MainActor
struct ThemeSwitch {
  let manager: ThemeManager
  /// The theme before the switch, and its flattened form.
  let old: (theme: Theme, resolved: ResolvedTheme)
  /// The theme after the switch, and its flattened form.
  let new: (theme: Theme, resolved: ResolvedTheme)
  /// The overrides of a scope after the switch, or `nil` if its theme does not follow the manager
  /// above.
  let overlay: ThemeLayer?
}

/// The changes that a switch makes to a manager and the scopes that follow it.
///
/// Planning calls no user code, so nothing changes between planning and the swap.
@MainActor
struct SwitchPlan {
  /// The changes, each manager before its scopes.
  private(set) var switches: [ThemeSwitch] = []
  /// All visited managers: if another thread releases the last other reference, the manager is
  /// destroyed with the plan, not while the plan is being created.
  private var managers: [ThemeManager] = []

  init() {}

  /// Adds a manager and the scopes that follow it.
  ///
  /// - Parameters:
  ///   - manager: The manager.
  ///   - base: The planned theme of the manager above, or `nil` if there is none.
  ///   - request: Returns the request for a manager, if there is one.
  mutating func add(
    _ manager: ThemeManager,
    over base: Theme?,
    _ request: (ThemeManager) -> ThemeRequest?
  ) {
    managers.append(manager)
    // A scope that does not follow the manager above stays as it is, and so do its own scopes.
    guard let requested = request(manager) ?? manager.overlay.map(ThemeRequest.overlay),
      let theme = requested.theme(over: base)
    else { return }
    switches.append(
      ThemeSwitch(
        manager: manager,
        old: (manager.theme, manager.resolved),
        new: (theme, ResolvedTheme(theme.stack)),
        overlay: requested.layer
      )
    )
    for scope in manager.scopes.living { add(scope, over: theme, request) }
  }

  /// Throws an error if aliases of one of the themes form a cycle.
  func check() throws(ThemeError) {
    for part in switches { try part.new.resolved.check(part.new.theme) }
  }

  /// A Boolean value that indicates whether all themes are free of alias cycles.
  var isSound: Bool { switches.allSatisfy { $0.new.resolved.cycle == nil } }
}

/// A request to switch a manager.
enum ThemeRequest {
  /// Use this theme, regardless of the manager above.
  case wear(Theme)
  /// For a scope: use the theme of the manager above with these overrides.
  case overlay(ThemeLayer)

  /// The overrides, or `nil` if the request replaces the theme.
  var layer: ThemeLayer? {
    if case .overlay(let layer) = self { layer } else { nil }
  }

  /// Returns the requested theme.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` if there is none.
  /// - Returns: The theme, or `nil` if the request needs a manager above and there is none.
  func theme(over base: Theme?) -> Theme? {
    switch self {
    case .wear(let theme): theme
    case .overlay(let layer): base?.laying(layer)
    }
  }
}

/// The switches that triggered one another, from the first to the one being applied.
struct SwitchChain {
  /// The nesting depth of deliveries of mailed events when the chain began.
  ///
  /// A request made at a greater depth is not a consequence of the chain.
  let openings: Int
  /// The names of the themes so far.
  var names: [String] = []
  /// The first error thrown to a caller in the last round.
  private var error: ThemeError?

  init(openings: Int = 0) { self.openings = openings }

  /// Records a request made in the last round.
  ///
  /// - Parameter name: The name of the requested theme.
  /// - Returns: The error for the caller.
  mutating func refuse(_ name: String) -> ThemeError {
    let refusal = ThemeError(.switchLoop, themes: names + [name])
    error = error ?? refusal
    return refusal
  }

  /// Throws the error of the last round to the caller that began the chain.
  func check() throws(ThemeError) {
    if let error { throw error }
  }
}

/// The payload of `themeDidChange`, posted after every view has its new values.
public struct ThemeDidChange: Sendable {
  /// The manager that switched; also the sender of the event.
  public let manager: ThemeManager
  /// The theme before the switch.
  public let old: Theme
  /// The theme after the switch.
  public let new: Theme
  /// The keys whose values changed.
  ///
  /// Empty if the themes differ only in name or appearance.
  public let changedKeys: Set<ThemeKeys>
}

extension EventNames {
  /// Posted by a ``ThemeManager`` on its bus after a switch, with the manager as the sender.
  public static let themeDidChange = EventName<ThemeDidChange>("theme.didChange")
}
