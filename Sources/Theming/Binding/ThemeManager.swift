public import EventBus

/// Holds the theme in use, and hands it to everything that follows it.
///
/// ```swift
/// try ThemeManager.shared.use(night)
/// ```
///
/// A switch goes one way. The theme is checked, and with it those of all scopes: what cannot be used
/// is thrown, and nothing has changed. Then the theme is swapped, once; each property that follows a
/// key that changed is given its value, in the order of subscription; then `themeDidChange` is
/// posted on the bus. Properties whose keys read the same before and after are left alone, and cost
/// nothing.
///
/// Views follow the theme by ``Themed`` or ``Themeable``; other objects by ``follow(_:_:)``. A part
/// of the screen with a look of its own has a manager of its own, made by ``scope(_:)``.
///
/// ## Thread safety
///
/// Belongs to the main actor. Views may be released on any thread. No lock is held while a property
/// is set or an observer is called, so either may switch, subscribe and unsubscribe.
@MainActor
public final class ThemeManager {
  /// The manager that ``Themed`` uses when it is given none.
  ///
  /// It begins with a theme that sets nothing.
  public static let shared = ThemeManager(Theme("default"))

  /// The theme in use.
  public private(set) var theme: Theme

  /// How many switches have been made, those above a scope included.
  public private(set) var version = 0

  let bus: EventBus
  /// The theme in use as views see it.
  private(set) var resolved: ResolvedTheme
  private let registry = SubscriptionRegistry()

  /// The manager above a scope, which stays as long as the scope does.
  let parent: ThemeManager?
  /// What a scope changes of the theme above; `nil` when its theme is its own.
  private(set) var overlay: ThemeLayer?
  /// The scopes that were made from this manager, in that order.
  var scopes = ScopeList()
  /// Of the managers of one tree the uppermost one has the queue for all, so that there is one
  /// order.
  var queue = SwitchQueue<ObjectIdentifier, (manager: ThemeManager, wish: ThemeWish)>()
  /// What the rounds of the queue have come to.
  var chain = SwitchChain()
  /// As the queue: the uppermost one's counts, and that of a scope is empty.
  var catalogue: ThemeCatalogue

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - theme: The theme to begin with; it is registered under its name. One whose aliases lead in
  ///     a circle traps; ``Theme/checked()`` throws instead.
  ///   - bus: Where switches are posted.
  public convenience init(_ theme: Theme, bus: EventBus = .default) {
    self.init(theme, Self.resolution(of: theme), bus, ThemeCatalogue(theme))
  }

  /// Creates a manager that chooses between a light and a dark theme; see ``preference``.
  ///
  /// - Parameters:
  ///   - light: The light theme; it is registered under its name.
  ///   - dark: The dark theme; it is registered under its name. The manager begins with it, since the
  ///     appearance of the system is not known yet. If aliases of either theme form a cycle, this
  ///     traps; ``Theme/checked()`` throws instead.
  ///   - bus: Where switches are posted.
  public convenience init(light: Theme, dark: Theme, bus: EventBus = .default) {
    // Checked now, although it may never be used.
    _ = Self.resolution(of: light)
    self.init(dark, Self.resolution(of: dark), bus, ThemeCatalogue(light: light, dark: dark))
  }

  /// A theme to begin with as views see it.
  private static func resolution(of theme: Theme) -> ResolvedTheme {
    do throws(ThemeError) {
      return try theme.checkedResolution()
    } catch {
      trap(
        "A ThemeManager was made with a theme that cannot be used: "
          + "the aliases of the theme \"\(theme.name)\" form a cycle: "
          + error.path.joined(separator: " → "),
        remedy: "Give one of these keys a value"
      )
    }
  }

  init(
    _ theme: Theme,
    _ resolved: ResolvedTheme,
    _ bus: EventBus,
    _ catalogue: ThemeCatalogue = ThemeCatalogue(),
    parent: ThemeManager? = nil,
    overlay: ThemeLayer? = nil
  ) {
    self.theme = theme
    self.resolved = resolved
    self.bus = bus
    self.catalogue = catalogue
    self.parent = parent
    self.overlay = overlay
  }

  /// How many subscriptions there are; those of dead objects are not among them, and those of scopes
  /// are counted there.
  ///
  /// - Complexity: O(1) for views, which tell when they die; O(*n*) in the number of objects
  ///   followed with ``follow(_:_:)`` that carry no lifetime, which are looked after now.
  public var subscriberCount: Int {
    registry.sweep()
    return registry.count
  }

  /// How many places the subscriptions take, gaps and those of the dead included.
  package var subscriptionPlaceCount: Int { registry.placeCount }

  /// Makes an object follow the theme, beginning now: for objects that you cannot give a ``Themed``
  /// property.
  ///
  /// The object is not kept. Its subscription lasts until the token is cancelled or the object
  /// dies; dropping the token does nothing. What a dead object leaves behind is removed at once
  /// when it is a `LifetimeOwner`, else by the next switch that changes one of its keys, and by later
  /// subscriptions, which keep what the dead take within a fixed share of what the living take. Following twice makes two subscriptions.
  ///
  /// The token may be cancelled on any thread. A call that the main actor is in the middle of may
  /// still be running then; `waitUntilFinished()` waits for it. While the token is paused the object
  /// is left alone; of what changes meanwhile it gets nothing until the key changes again.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - map: Which of its properties follow which keys. The manager of a map that is
  ///     ``ThemeMap/scoped(_:)`` goes before this one.
  /// - Returns: The token that ends it.
  /// - Complexity: Amortized O(*r*) for *r* rules, whoever else follows.
  @discardableResult
  public func follow<Object: AnyObject>(_ object: Object, _ map: ThemeMap<Object>) -> Token {
    if let manager = map.manager, manager !== self { return manager.follow(object, map) }
    let map = map.fitting(object)
    let subscription = ThemeSubscription(object, map.rules)
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
  @usableFromInline
  func subscribe<Object: AnyObject>(
    _ object: Object,
    _ map: ThemeMap<Object>,
    keeping keep: (Token) -> Void
  ) {
    let map = map.fitting(object)
    let subscription = ThemeSubscription(object, map.rules)
    keep(registry.add(subscription, keys: map.keys))
    applyAll(to: subscription)
  }

  /// Takes up the theme that was planned; the plan keeps the former one.
  func swap(_ next: ThemeSwitch) {
    (theme, resolved) = next.new
    overlay = next.overlay
    version += 1
  }

  /// The subscriptions to the keys that changed, in the order of subscription.
  func subscriptions(to changes: ThemeChanges) -> [ThemeSubscription] {
    registry.subscribers(to: changes.keys)
  }

  /// Removes the subscriptions whose objects have died without telling.
  func removeDead() { registry.sweep() }

  /// Hands an object everything it follows.
  ///
  /// Should that set off a switch, the rest is of the new theme.
  private func applyAll(to subscription: ThemeSubscription) {
    subscription.apply { resolved.value(of: $0) }
  }
}
