/// The themes a manager knows by name, and the pair it chooses from by appearance.
///
/// A plain value: it decides, and the manager switches.
internal struct ThemeCatalogue: Sendable {
  private var themes: [String: Theme] = [:]
  private let pair: (light: Theme, dark: Theme)?

  /// What is wanted.
  internal var preference = AppearancePreference.system

  /// What the system shows, or `nil` when that is not known.
  internal var systemAppearance: Appearance?

  /// Creates a catalogue without themes.
  internal init() { pair = nil }

  /// Creates a catalogue with one theme, whatever the appearance.
  internal init(_ theme: Theme) {
    pair = nil
    register(theme)
  }

  /// Creates a catalogue with a theme for each appearance.
  internal init(light: Theme, dark: Theme) {
    pair = (light, dark)
    register(light)
    register(dark)
  }

  /// The appearance to show.
  internal var appearance: Appearance {
    switch preference {
    case .light: .light
    case .dark: .dark
    case .system: systemAppearance ?? .dark
    }
  }

  /// The theme of the pair for the appearance to show, or `nil` when there is no pair.
  internal var choice: Theme? { appearance == .light ? pair?.light : pair?.dark }

  /// Enters a theme.
  ///
  /// - Returns: The theme that had the same name until now, for the caller to let go of when the
  ///   catalogue is whole again: a value may have a `deinit` that comes back.
  @discardableResult
  internal mutating func register(_ theme: Theme) -> Theme? {
    themes.updateValue(theme, forKey: theme.name)
  }

  /// Finds a theme.
  ///
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/unknownTheme``.
  internal func theme(named name: String) throws(ThemeError) -> Theme {
    if let theme = themes[name] { return theme }
    let suggestion = NearestName.nearest(to: name, among: themes.keys)
    throw ThemeError(.unknownTheme, themes: [name], suggestion: suggestion)
  }
}
