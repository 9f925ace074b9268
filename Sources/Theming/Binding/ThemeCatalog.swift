internal import EventBus

/// The appearance that the user prefers.
public enum AppearancePreference: String, Hashable, Sendable, CaseIterable, Codable {
  /// The light theme.
  case light
  /// The dark theme.
  case dark
  /// The appearance of the system; dark while that is unknown.
  case system
}

extension ThemeManager {
  /// The appearance that a manager with a light and a dark theme shows.
  ///
  /// Setting the preference, even to its current value, switches to the matching theme if another one has been
  /// used by name or value in the meantime, and then follows the system again if it is
  /// ``AppearancePreference/system``. The initial preference is ``AppearancePreference/system``. On a
  /// manager with a single theme, the preference has no effect. A scope shares the preference of
  /// the manager it was created from.
  ///
  /// The setter cannot throw. An error that ``use(_:)-(Theme)`` would throw is reported to
  /// `EventHooks.onMessage` of the bus, by default on standard error, and the theme does not change.
  public var appearancePreference: AppearancePreference {
    get { root.catalog.preference }
    set {
      root.catalog.preference = newValue
      root.catalog.isChosen = false
      root.useChoice()
    }
  }

  /// The appearance of the system, or `nil` if it is unknown; set by the program.
  ///
  /// While the ``appearancePreference`` is ``AppearancePreference/system``, a change switches to the theme
  /// for the new appearance; `nil` counts as dark. Setting the same appearance again has no effect. A
  /// theme that was used by name or value is the user's choice, which the system does not replace: it
  /// stays until the ``appearancePreference`` is set.
  public var systemAppearance: Appearance? {
    get { root.catalog.systemAppearance }
    set {
      let settling = root.settling.take()
      defer { withExtendedLifetime(settling) {} }
      let before = root.catalog.appearance
      root.catalog.systemAppearance = newValue
      if root.catalog.appearance != before, !root.catalog.isChosen { root.useChoice() }
    }
  }

  /// Reports the appearance of the system, once it has lasted for a time.
  ///
  /// Systems also report appearances that are never shown: iOS, for example, renders an app in the background both
  /// dark and light, for its snapshots. A report replaces an earlier one that has not yet lasted for the time, which
  /// then begins again. The first report, and an appearance that the manager already knows, take effect at once.
  ///
  /// ```swift
  /// @MainActor func appearanceDidChange(_ manager: ThemeManager, isDark: Bool) {
  ///   manager.reportSystemAppearance(isDark ? .dark : .light)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - appearance: The appearance, or `nil` if it is unknown; see ``systemAppearance``.
  ///   - time: The time for which it must last.
  public func reportSystemAppearance(
    _ appearance: Appearance?,
    settlingFor time: Duration = .milliseconds(100)
  ) {
    reportSystemAppearance(appearance, settlingFor: time, on: ContinuousClock())
  }

  package func reportSystemAppearance(
    _ appearance: Appearance?,
    settlingFor time: Duration,
    on clock: some Clock<Duration>
  ) {
    let root = root
    let former = root.settling.take()
    defer { withExtendedLifetime(former) {} }
    if root.systemAppearance == appearance { return }
    if root.systemAppearance == nil || time <= .zero {
      root.systemAppearance = appearance
      return
    }
    root.settling = after(time, clock: clock) { @MainActor [weak root] _ in
      root?.systemAppearance = appearance
    }
  }

  private func useChoice() {
    guard let choice = catalog.choice else { return }
    reportingError { () throws(ThemeError) in try submit(.theme(choice)) }
  }
}

/// The themes that a manager knows by name, and its pair of themes for the two appearances.
///
/// A plain value: it only selects themes; the manager switches.
struct ThemeCatalog: Sendable {
  private var themes: [String: Theme] = [:]
  /// The themes for the two appearances, or `nil` for a manager with a single theme.
  var pair: (light: Theme, dark: Theme)?

  var preference = AppearancePreference.system

  var systemAppearance: Appearance?

  /// True if a theme has been used by name or value since the preference was set.
  var isChosen = false

  /// The appearance to show.
  var appearance: Appearance {
    switch preference {
    case .light: .light
    case .dark: .dark
    case .system: systemAppearance ?? .dark
    }
  }

  /// The theme for the appearance to show, or `nil` without a pair of themes.
  var choice: Theme? { appearance == .light ? pair?.light : pair?.dark }

  /// Registers a theme under its name.
  ///
  /// - Returns: The previous theme of that name. The caller releases it once the catalog is
  ///   consistent again, because the `deinit` of a value may access the catalog.
  mutating func register(_ theme: Theme) -> Theme? { themes.updateValue(theme, forKey: theme.name) }

  /// Returns the theme with a name.
  ///
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/unknownTheme``.
  func theme(named name: String) throws(ThemeError) -> Theme {
    if let theme = themes[name] { return theme }
    let suggestion = NameSuggestions(themes.keys).nearest(to: name)
    throw ThemeError(.unknownTheme, themes: [name], suggestion: suggestion)
  }
}
