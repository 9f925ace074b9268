public import EventBus

/// The switch of one manager.
@MainActor
final class ThemeSwitch {
  let manager: ThemeManager
  /// The scopes of the manager: if another thread releases the last other reference to one, it is destroyed
  /// with the plan, not while the plan is being created.
  let scopes: [ThemeManager]
  /// The theme before the switch.
  let old: ResolvedTheme
  /// The theme after the switch.
  let new: ResolvedTheme
  /// The overrides of a scope after the switch, or `nil` if its theme does not follow the manager
  /// above.
  let overlay: ThemeLayer?

  /// The changed keys with their values, once the themes have been compared.
  private(set) var changes = ThemeChanges([])
  /// The subscriptions to changed keys, as lists to merge.
  private var subscriptions: [NumberedList<ThemeSubscription>] = []
  /// The subscriptions among them whose objects have died.
  private var dead: [ThemeSubscription] = []

  init(_ manager: ThemeManager, to theme: Theme, _ request: ThemeRequest) {
    self.manager = manager
    scopes = manager.scopes
    old = manager.resolved
    new = ResolvedTheme(theme)
    overlay = if case .overlay(let layer) = request { layer } else { nil }
  }

  /// Compares the themes, which calls user code, and collects the subscriptions to the changed keys.
  func compare() {
    changes = ThemeChanges(new.changes(from: old))
    subscriptions = manager.registry.subscriptions(to: changes)
  }

  /// Sets the properties that follow changed keys, in the order of subscription.
  func apply() {
    // Copied, because every access to a property is checked.
    let changes = changes
    NumberedList.forEachMerged(subscriptions) { subscription in
      if !subscription.apply({ changes[$0] }) { dead.append(subscription) }
    }
  }

  /// Removes the subscriptions of the objects that were found dead.
  func sweep() {
    for subscription in dead { subscription.registration.end() }
  }
}

/// A request to switch a manager.
enum ThemeRequest {
  /// Use this theme, regardless of the manager above.
  case theme(Theme)
  /// For a scope: use the theme of the manager above with these overrides.
  case overlay(ThemeLayer)

  /// Returns the requested theme.
  ///
  /// - Parameter base: The theme of the manager above, or `nil` if there is none.
  /// - Returns: The theme, or `nil` if the request needs a manager above and there is none.
  func theme(over base: Theme?) -> Theme? {
    switch self {
    case .theme(let theme): theme
    case .overlay(let layer): base?.adding(layer)
    }
  }
}

/// A request that waits for the switches before it.
///
/// A tree of managers has one queue, in which each manager has at most one place: a later request takes the place of
/// the earlier one. The first request is performed at once. A request that code makes during a switch follows later;
/// it is a separate switch, and its causes are that switch and those that caused it.
struct PendingSwitch {
  let request: ThemeRequest
  /// The names of the themes of the switches that led to the request, each switch requested during the one before; `nil`
  /// if an event from another thread requested it during a switch, which then did not cause it.
  let causes: [String]?
}

/// The switch that is being performed.
struct RunningSwitch {
  /// The nesting depth of deliveries of events from other threads when the first switch of the chain began.
  ///
  /// Code that runs at a greater depth was not called by the switch.
  let openings: Int
  /// The names of the themes of the switches that led to this one, and its own name.
  var names: [String] = []
  /// The first error thrown for a switch that was not recorded because too many led to it.
  var refusal: ThemeError?
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
  public let changedKeys: Set<AnyThemeKey>
}

extension EventNames {
  /// Posted by a ``ThemeManager`` on its bus after a switch, with the manager as the sender.
  public static let themeDidChange = EventName<ThemeDidChange>(lifecycle: "theme.didChange")
}
