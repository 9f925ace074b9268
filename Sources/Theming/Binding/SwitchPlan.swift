public import EventBus

/// The switches of a manager and of the scopes that follow it.
///
/// Planning calls no user code, so nothing changes between planning and the swap.
@MainActor
struct SwitchPlan {
  /// The switches, each manager before its scopes.
  private(set) var switches: [ThemeSwitch] = []
  /// All visited managers: if another thread releases the last other reference, the manager is
  /// destroyed with the plan, not while the plan is being created.
  private var managers: [ThemeManager] = []

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
    switches.append(ThemeSwitch(manager, to: theme, requested))
    for scope in manager.scopes { add(scope, over: theme, request) }
  }

  /// Throws an error if aliases of one of the themes form a cycle.
  func check() throws(ThemeError) {
    for part in switches { try part.new.check() }
  }

  /// A Boolean value that indicates whether all themes are free of alias cycles.
  var isSound: Bool { switches.allSatisfy { $0.new.cycle == nil } }
}

/// The switch of one manager.
@MainActor
final class ThemeSwitch {
  let manager: ThemeManager
  /// The theme before the switch.
  let old: ResolvedTheme
  /// The theme after the switch.
  let new: ResolvedTheme
  /// The overrides of a scope after the switch, or `nil` if its theme does not follow the manager
  /// above.
  let overlay: ThemeLayer?

  /// The changed keys with their values, once the themes have been compared.
  private(set) var changes = ThemeChanges([:])
  /// The subscriptions to changed keys, as lists to merge.
  private var subscriptions: [NumberedList<ThemeSubscription>] = []

  init(_ manager: ThemeManager, to theme: Theme, _ request: ThemeRequest) {
    self.manager = manager
    old = manager.resolved
    new = ResolvedTheme(theme)
    overlay = if case .overlay(let layer) = request { layer } else { nil }
  }

  /// Compares the themes, which calls user code.
  func compare() { changes = ThemeChanges(new.changes(from: old)) }

  /// Collects the subscriptions to the changed keys.
  func collect() { subscriptions = manager.registry.subscriptions(to: changes.keys) }

  /// Sets the properties that follow changed keys, in the order of subscription.
  func apply() {
    // Copied, because every access to a property is checked.
    let changes = changes
    NumberedList.forEachMerged(subscriptions) { $0.apply { changes[$0] } }
  }

  /// Removes the subscriptions of dead objects if one of them follows a changed key.
  func sweep() {
    guard manager.registry.needsSweeps else { return }
    var foundDead = false
    for list in subscriptions { list.forEach { if !$0.isAlive { foundDead = true } } }
    if foundDead { manager.registry.sweep() }
  }
}

/// A request to switch a manager.
enum ThemeRequest {
  /// Use this theme, regardless of the manager above.
  case wear(Theme)
  /// For a scope: use the theme of the manager above with these overrides.
  case overlay(ThemeLayer)

  /// Returns the requested theme.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` if there is none.
  /// - Returns: The theme, or `nil` if the request needs a manager above and there is none.
  func theme(over base: Theme?) -> Theme? {
    switch self {
    case .wear(let theme): theme
    case .overlay(let layer): base?.adding(layer)
    }
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
  public static let themeDidChange = EventName<ThemeDidChange>(lifecycle: "theme.didChange")
}
