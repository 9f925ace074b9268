public import EventBus

/// Holds the theme in use, and hands it to everything that follows it.
///
/// ```swift
/// try ThemeManager.shared.use(night)
/// ```
///
/// A switch goes one way: the theme is swapped, once; each property that follows a key that changed
/// is given its value, in the order of subscription; then `themeDidChange` is posted on the bus.
/// Properties whose keys read the same before and after are left alone, and cost nothing.
///
/// Views follow the theme by ``Themed``; other objects by ``follow(_:_:)``.
///
/// ## Thread safety
///
/// Belongs to the main actor. Views may be released on any thread. No lock is held while a property
/// is set or an observer is called, so either may switch, subscribe and unsubscribe.
@MainActor
public final class ThemeManager {
  private struct Switch {
    let theme: Theme
    let resolved: ResolvedTheme
  }

  /// The manager that ``Themed`` uses when it is given none.
  ///
  /// It begins with a theme that sets nothing.
  public static let shared = ThemeManager(Theme("default"))

  /// The theme in use.
  public private(set) var theme: Theme

  /// How many switches have been made.
  public private(set) var version = 0

  private let bus: EventBus
  private var resolved: ResolvedTheme
  private var queue = SwitchQueue<Switch>()
  private let registry = SubscriptionRegistry<ThemeKeys, ThemeSubscription>()

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - theme: The theme to begin with.
  ///   - bus: Where switches are posted.
  public init(_ theme: Theme, bus: EventBus = .default) {
    self.theme = theme
    self.bus = bus
    resolved = ResolvedTheme(theme.stack)
  }

  /// How many subscriptions there are; those of dead objects are not among them.
  ///
  /// - Complexity: O(1) for views, which tell when they die; O(*n*) in the number of objects
  ///   followed with ``follow(_:_:)`` that carry no lifetime, which are looked after now.
  public var subscriberCount: Int {
    registry.sweep()
    return registry.count
  }

  /// Switches to a theme.
  ///
  /// When this returns, every property whose key changed has its new value and the switch has been
  /// posted; unless it is called while a switch is being applied or posted: then the theme is
  /// noted, and used when that switch is done. The last one noted wins. Using the theme that is in
  /// use is a switch that changes nothing, and is posted too.
  ///
  /// - Parameter theme: The theme.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/switchLoop`` when each of 16 switches
  ///   led to another one. It is thrown to the caller who began; the theme of the last round stays
  ///   in use.
  /// - Complexity: O(*v*) in the number of values of both themes, and O(*n*) in the number of
  ///   subscriptions to the keys that changed; others cost nothing.
  public func use(_ theme: Theme) throws(ThemeError) {
    guard queue.submit(Switch(theme: theme, resolved: try theme.checkedResolution())) else {
      return
    }
    var names: [String] = []
    while true {
      switch queue.next() {
      case .run(let next):
        names.append(next.theme.name)
        perform(next)
      case .done:
        return
      case .givenUp(let dropped):
        throw ThemeError(.switchLoop, themes: names + [dropped.theme.name])
      }
    }
  }

  /// Makes an object follow the theme, beginning now: for objects that you cannot give a ``Themed``
  /// property.
  ///
  /// The object is not kept. Its subscription lasts until the token is cancelled or the object
  /// dies; dropping the token does nothing. What a dead object leaves behind is removed at once
  /// when it is a `LifetimeOwner`, else by later subscriptions, which keep what the dead take
  /// within a fixed share of what the living take. Following twice makes two subscriptions.
  ///
  /// The token may be cancelled on any thread. A call that the main actor is in the middle of may
  /// still be running then; `finished()` waits for it.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - map: Which of its properties follow which keys.
  /// - Returns: The token that ends it.
  /// - Complexity: Amortized O(*r*) for *r* rules, whoever else follows.
  @discardableResult
  public func follow<Object: AnyObject>(_ object: Object, _ map: ThemeMap<Object>) -> Token {
    let subscription = ThemeBinding(object, map.rules)
    let lifetime = (object as? any LifetimeOwner)?.lifetime
    let token = registry.addKept(subscription, keys: map.keys, until: lifetime)
    applyAll(to: subscription)
    return token
  }

  /// Subscribes an object that keeps the token itself, so that the subscription dies with it.
  ///
  /// - Parameters:
  ///   - object: The object, which is not kept.
  ///   - map: Its rules.
  ///   - keep: Stores the token. Called before anything is handed to the object, so that what is
  ///     set off by that finds the subscription in place.
  internal func subscribe<Object: AnyObject>(
    _ object: Object,
    _ map: ThemeMap<Object>,
    keeping keep: (Token) -> Void
  ) {
    let subscription = ThemeBinding(object, map.rules)
    keep(registry.add(subscription, keys: map.keys))
    applyAll(to: subscription)
  }

  /// Hands an object everything it follows.
  ///
  /// Should that set off a switch, the rest is of the new theme.
  private func applyAll(to subscription: ThemeSubscription) {
    subscription.apply { resolved.value(of: $0) }
  }

  /// One round: swap, tell the views, tell the bus.
  private func perform(_ next: Switch) {
    let old = theme
    let changes = next.resolved.changes(from: resolved)
    theme = next.theme
    resolved = next.resolved
    version += 1
    for subscription in registry.subscribers(to: changes.keys) {
      subscription.apply { changes[$0] }
    }
    let change = ThemeDidChange(old: old, new: theme, changedKeys: Set(changes.keys))
    bus.post(.themeDidChange, change, from: self)
  }
}
