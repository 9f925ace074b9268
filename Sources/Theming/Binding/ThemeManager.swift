public import EventBus

/// Holds the theme in use and applies it to its subscribers.
///
/// ```swift
/// try ThemeManager.shared.use(Theme("Night", appearance: .dark))
/// ```
///
/// A switch has a fixed order. First, the theme and those of all scopes are checked; if one is
/// invalid, the switch throws and nothing has changed. Then the theme is swapped, once. Each
/// property that follows a changed key receives its value, in the order of subscription. Finally,
/// `themeDidChange` is posted on the bus. Properties whose keys read the same before and after are
/// not set and cost nothing.
///
/// Views follow the theme with ``Themed`` or ``Themeable``, other objects with ``follow(_:_:)``. A
/// part of the screen with its own values has its own manager, created by ``scope(_:)``.
///
/// ## Thread safety
///
/// Isolated to the main actor. Views may be released on any thread. No lock is held while a
/// property is set or an observer is called, so both may switch, subscribe and unsubscribe.
@MainActor
public final class ThemeManager {
  /// The default manager of ``Themed``.
  ///
  /// Its initial theme sets no values.
  public static let shared = ThemeManager(Theme("default", appearance: .dark))

  /// The theme in use.
  public var theme: Theme { resolved.theme }

  /// The number of switches made, including those of the manager above a scope.
  package private(set) var version = 0

  /// The bus on which switches are posted; scopes post on that of their manager.
  package let bus: EventBus
  /// The theme in use, flattened for lookup.
  private(set) var resolved: ResolvedTheme
  let registry = SubscriptionRegistry()

  /// The manager above a scope.
  let parent: ThemeManager?
  /// The number of requests for this manager that were accepted.
  var requestCount = 0
  /// The overrides of a scope; `nil` if its theme does not follow the manager above.
  private(set) var overlay: ThemeLayer?
  /// The number of a scope in the list of the manager above.
  private var scopeNumber: UInt?
  /// The scopes created from this manager; each is removed on the thread that releases it.
  nonisolated let scopeList = Locked(NumberedList<Weak<ThemeManager>>())
  /// The number of the last scope created in the program.
  static var lastScope: UInt = 0

  /// The request for this manager that has not been performed.
  var pending: PendingSwitch?
  /// The managers of the tree with pending requests, in the order in which they first requested one; used in the root
  /// only.
  var queue: [ThemeManager] = []
  /// The switch that is being performed; used in the root only.
  var running: RunningSwitch?
  /// The timer of an appearance of the system that has not lasted yet; used in the root only.
  var settling: Token?
  /// The registered themes; used in the root only, and empty in scopes.
  var catalog = ThemeCatalog()

  /// Creates a manager with an initial theme.
  ///
  /// - Parameters:
  ///   - theme: The initial theme, which is also registered under its name. Aliases that form a
  ///     cycle trap; ``Theme/checked()`` throws instead.
  ///   - bus: The bus on which switches are posted.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public convenience init(
    _ theme: Theme,
    bus: EventBus = .default,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(Self.resolved(theme, fileID, line), bus)
    register(theme)
  }

  /// Creates a manager that chooses between a light and a dark theme; see ``appearancePreference``.
  ///
  /// - Parameters:
  ///   - light: The light theme, which is registered under its name.
  ///   - dark: The dark theme, which is registered under its name. It is the initial theme, because
  ///     the appearance of the system is unknown at first. Aliases of either theme that form a
  ///     cycle trap; ``Theme/checked()`` throws instead.
  ///   - bus: The bus on which switches are posted.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public convenience init(
    light: Theme,
    dark: Theme,
    bus: EventBus = .default,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    // Checked now, even if it is never used.
    _ = Self.resolved(light, fileID, line)
    self.init(Self.resolved(dark, fileID, line), bus)
    catalog.pair = (light, dark)
    register(light, dark)
  }

  /// Resolves an initial theme; traps if its aliases form a cycle.
  private static func resolved(
    _ theme: Theme,
    _ fileID: StaticString,
    _ line: UInt
  ) -> ResolvedTheme {
    let resolved = ResolvedTheme(theme)
    if let cycle = resolved.cycle {
      trap(
        "A ThemeManager cannot use the theme \"\(theme.name)\", because its aliases form a cycle: "
          + cycle.map(\.name).joined(separator: " → "),
        remedy: "Give one of these keys a value",
        fileID: fileID,
        line: line
      )
    }
    return resolved
  }

  init(
    _ resolved: ResolvedTheme,
    _ bus: EventBus,
    parent: ThemeManager? = nil,
    overlay: ThemeLayer? = nil
  ) {
    self.resolved = resolved
    self.bus = bus
    self.parent = parent
    self.overlay = overlay
    scopeNumber = parent?.scopeList.withLock { $0.append(Weak(self)) }
  }

  deinit {
    registry.endAll()
    if let scopeNumber { _ = parent?.scopeList.withLock { $0.remove(number: scopeNumber) } }
  }

  /// The number of subscriptions, not counting those of dead objects and of scopes.
  ///
  /// Reading the count removes the subscriptions of dead objects.
  ///
  /// - Complexity: O(*n*) in the number of objects followed with ``follow(_:_:)``; views with a map
  ///   cost nothing.
  public var subscriberCount: Int {
    registry.sweep()
    return registry.count
  }

  /// The number of slots in the storage of subscriptions, including gaps and dead objects.
  package var subscriptionSlotCount: Int { registry.slotCount }

  /// Makes an object follow the theme, starting immediately; for objects that cannot have a
  /// ``Themed`` property.
  ///
  /// The manager references the object weakly. The subscription lasts until the token is cancelled or
  /// the object dies; releasing the token has no effect. If the object is a `LifetimeOwner`, its death
  /// removes the subscription at once. Otherwise the next switch that changes one of its keys, or a
  /// later subscription, removes it, so that dead objects never occupy more than a fixed multiple of
  /// the storage of live ones. Calling this method twice creates two subscriptions.
  ///
  /// The token may be cancelled on any thread. A call on the main actor may still be running then;
  /// `waitUntilFinished()` waits for it. While the token is paused, the object is not updated. It
  /// does not receive missed changes until the key changes again.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - map: The properties of the object and the keys they follow. The manager of a
  ///     ``ThemeMap/scoped(_:)`` map takes precedence over this one.
  /// - Returns: The token that ends the subscription.
  /// - Complexity: Amortized O(*r*) for *r* rules, regardless of the number of subscriptions.
  @discardableResult
  public func follow<Object: AnyObject>(_ object: Object, _ map: ThemeMap<Object>) -> Token {
    if let manager = map.manager, manager !== self { return manager.follow(object, map) }
    return subscribe(object, map, isKept: true) { _ in }
  }

  /// Subscribes an object.
  ///
  /// - Parameters:
  ///   - object: The object, referenced weakly.
  ///   - map: Its rules.
  ///   - isKept: Pass `true` if the object does not store the token, so that the subscription lasts until its
  ///     death is found.
  ///   - keep: Stores the token. Called before any property is set, so that code triggered by the
  ///     properties finds the subscription in place.
  /// - Returns: The token.
  @usableFromInline
  @discardableResult
  func subscribe<Object: AnyObject>(
    _ object: Object,
    _ map: ThemeMap<Object>,
    isKept: Bool = false,
    keeping keep: (Token) -> Void
  ) -> Token {
    let map = map.fitting(object)
    let lifetime = isKept ? (object as? any LifetimeOwner)?.lifetime : nil
    let subscription = registry.add(object, map.rules, keys: map.keys, isKept: isKept)
    let token = Token(subscription.registration, isKept: isKept)
    if let lifetime { token.attach(to: lifetime) }
    keep(token)
    // If that triggers a switch, the remaining properties receive values of the new theme.
    subscription.apply { resolved.value(of: $0) }
    return token
  }

  /// Replaces the theme with that of a plan, which keeps the previous one alive.
  func swap(_ next: ThemeSwitch) {
    resolved = next.new
    overlay = next.overlay
    version += 1
  }
}

extension ThemeManager {
  /// Creates a manager for a part of the screen with its own values.
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
  /// let manager = ThemeManager(Theme("Day", appearance: .dark))
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
    if !root.queue.isEmpty { _ = try upcoming.adding(overlay).checked() }
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
    scopeList.withLock { $0 }.forEach { if let scope = $0.object { scopes.append(scope) } }
    return scopes
  }

  /// The number of slots in the list of scopes, including gaps.
  package var scopeSlotCount: Int { scopeList.withLock { $0.slotCount } }
}
