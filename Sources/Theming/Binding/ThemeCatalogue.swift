internal import EventBus

/// Which of a light and a dark theme somebody wants to see.
public enum AppearancePreference: String, Hashable, Sendable, CaseIterable, Codable {
  /// The light one.
  case light
  /// The dark one.
  case dark
  /// What the system shows; the dark one as long as that is not known.
  case system
}

extension ThemeManager {
  /// Which of its two themes a manager shows that was made with a light and a dark one.
  ///
  /// Setting it switches to that theme, even when another theme was put to use meanwhile by name or
  /// value. It begins with ``AppearancePreference/system``. With one theme to choose from it has no
  /// effect. A scope has the preference of the manager it was made from.
  ///
  /// What would be thrown by ``use(_:)-(Theme)`` cannot be thrown here: it is written to standard
  /// error, and the theme stays.
  public var preference: AppearancePreference {
    get { root.catalogue.preference }
    set {
      root.catalogue.preference = newValue
      root.wearChoice()
    }
  }

  /// What the system shows, or `nil` when that is not known: to be set by whoever finds out.
  ///
  /// While the ``preference`` is ``AppearancePreference/system``, a change switches to the theme for
  /// the new appearance, even when another theme was put to use meanwhile; `nil` counts as dark.
  /// Reporting the same appearance again does nothing.
  public var systemAppearance: Appearance? {
    get { root.catalogue.systemAppearance }
    set {
      let before = root.catalogue.appearance
      root.catalogue.systemAppearance = newValue
      if root.catalogue.appearance != before { root.wearChoice() }
    }
  }

  private func wearChoice() {
    guard let choice = catalogue.choice else { return }
    do throws(ThemeError) {
      try use(choice)
    } catch {
      StandardError.print("Theming: \(error)")
    }
  }
}

/// The themes a manager knows by name, and the pair it chooses from by appearance.
///
/// A plain value: it decides, and the manager switches.
struct ThemeCatalogue: Sendable {
  private var themes: [String: Theme] = [:]
  private let pair: (light: Theme, dark: Theme)?

  /// What is wanted.
  var preference = AppearancePreference.system

  /// What the system shows, or `nil` when that is not known.
  var systemAppearance: Appearance?

  /// Creates a catalogue without themes.
  init() { pair = nil }

  /// Creates a catalogue with one theme, whatever the appearance.
  init(_ theme: Theme) {
    pair = nil
    register(theme)
  }

  /// Creates a catalogue with a theme for each appearance.
  init(light: Theme, dark: Theme) {
    pair = (light, dark)
    register(light)
    register(dark)
  }

  /// The appearance to show.
  var appearance: Appearance {
    switch preference {
    case .light: .light
    case .dark: .dark
    case .system: systemAppearance ?? .dark
    }
  }

  /// The theme of the pair for the appearance to show, or `nil` when there is no pair.
  var choice: Theme? { appearance == .light ? pair?.light : pair?.dark }

  /// Enters a theme.
  ///
  /// - Returns: The theme that had the same name until now, for the caller to let go of when the
  ///   catalogue is whole again: a value may have a `deinit` that comes back.
  @discardableResult
  mutating func register(_ theme: Theme) -> Theme? {
    themes.updateValue(theme, forKey: theme.name)
  }

  /// Finds a theme.
  ///
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/unknownTheme``.
  func theme(named name: String) throws(ThemeError) -> Theme {
    if let theme = themes[name] { return theme }
    let suggestion = NearestName.nearest(to: name, among: themes.keys)
    throw ThemeError(.unknownTheme, themes: [name], suggestion: suggestion)
  }
}
