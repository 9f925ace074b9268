internal import EventBus
public import Observation
public import Theming

/// The theme of a manager, for code that tracks what it reads: a SwiftUI view, `withObservationTracking` or
/// `Observations`.
///
/// ```swift
/// extension ThemeKeys {
///   static let paper = ThemeKey("color.paper", default: RGBA(red: 255, green: 255, blue: 255))
/// }
///
/// let theme = ObservableTheme(ThemeManager(Theme("Day", appearance: .dark)))
/// let paper = theme[.paper]  // in the `body` of a view, which then follows this key
/// try theme.use(Theme("Night", appearance: .dark) { $0[.paper] = RGBA(red: 20, green: 20, blue: 30) })
/// ```
///
/// Each key is tracked by itself: a switch invalidates the readers of the keys whose values it changes, and no others,
/// whichever way it is made. A switch that changes several keys invalidates a reader of them once, unless the reader
/// tracks them again inside `onChange`. In a scope, the switches of the managers above count as far as they change the
/// values of the scope.
///
/// Readers are invalidated after the switch, when the manager posts `themeDidChange` on its bus. So a closure passed
/// as `onChange` already reads the new value. A reader that tracks a key between the swap of the themes and that
/// event is invalidated as well, although it has read the new value. An interceptor of the bus that prevents calls of
/// handlers also prevents invalidations.
///
/// Keep a strong reference for as long as readers follow the theme, for example in the environment of the views. It
/// keeps the manager, which does not keep it. Several observable themes of one manager are independent of one another.
///
/// ## Thread safety
///
/// Isolated to the main actor, like the manager. Any thread may release it.
@MainActor
public final class ObservableTheme {
  /// The manager, for what the object does not track: preferences, changes of single values, scopes.
  public let manager: ThemeManager
  private nonisolated let registrar = ObservationRegistrar()
  /// The keys that have been read, with their key paths: no more than the program declares.
  private var paths: [AnyThemeKey: KeyPath<ObservableTheme, Void>] = [:]
  /// The registration for the switches of the manager.
  private var switches: Token?
  /// The names that have been read since the readers of the name were invalidated.
  private var namesRead: Set<String> = []
  /// The registration for switches on the bus, once the name has been read.
  private var names: Token?

  /// Creates an object that follows a manager.
  ///
  /// - Parameter manager: The manager, which may be a scope. The object keeps a strong reference to it.
  /// - Complexity: Amortized O(1).
  public init(_ manager: ThemeManager = .shared) {
    self.manager = manager
    switches = manager.bus.observe(.themeDidChange, from: manager) { [weak self] change in
      self?.announce(change.changedKeys)
    }
  }

  /// The value of a key in the theme in use; tracked by the key.
  ///
  /// - Parameter key: The key.
  /// - Complexity: As reading a theme, plus O(1), and one allocation for the first read of the key.
  public subscript<Value>(_ key: ThemeKey<Value>) -> Value {
    registrar.access(self, keyPath: path(of: key))
    return manager.theme[key]
  }

  /// The name of the theme in use; tracked apart from the keys.
  ///
  /// A switch to a theme of the same name does not invalidate readers of the name.
  ///
  /// - Complexity: O(*d*) in the number of layers of the theme.
  public var themeName: String {
    if names == nil { followName() }
    registrar.access(self, keyPath: \.themeName)
    let name = manager.theme.name
    namesRead.insert(name)
    return name
  }

  /// Switches the manager to a theme.
  ///
  /// On return, the readers of changed keys have been invalidated, unless a switch is running, which this one then
  /// follows, or the call is made inside 32 nested posts while events wait for the main actor.
  ///
  /// - Parameter theme: The theme.
  /// - Throws: `ThemeError`, as `ThemeManager.use(_:)` does. Nothing is invalidated if aliases form a cycle.
  /// - Complexity: As `ThemeManager.use(_:)`.
  public func use(_ theme: Theme) throws(ThemeError) { try manager.use(theme) }

  /// Stands for a key where the registrar wants a key path; such paths are equal for equal keys.
  private nonisolated subscript(tracked key: AnyThemeKey) -> Void { () }

  /// Returns the path that stands for a key.
  private func path(of key: AnyThemeKey) -> KeyPath<ObservableTheme, Void> {
    if let known = paths[key] { return known }
    let path: KeyPath<ObservableTheme, Void> = \.[tracked: key]
    paths[key] = path
    return path
  }

  /// Invalidates the readers of keys that have changed.
  private func announce(_ keys: Set<AnyThemeKey>) {
    for key in keys {
      if let path = paths[key] { registrar.withMutation(of: self, keyPath: path) {} }
    }
  }

  /// Begins to follow the name.
  ///
  /// A scope whose values do not change posts nothing even if the manager above gives it another name, so the switches
  /// of all managers on the bus count.
  private func followName() {
    names = manager.bus.observe(.themeDidChange) { [weak self] _ in self?.announceName() }
  }

  /// Invalidates the readers of the name if one of them has read another name.
  ///
  /// Events that wait for the main actor may come after several switches, and after reads in between.
  private func announceName() {
    let name = manager.theme.name
    guard namesRead.contains(where: { $0 != name }) else { return }
    namesRead = []
    registrar.withMutation(of: self, keyPath: \.themeName) {}
  }
}

extension ObservableTheme: nonisolated Observable {}
