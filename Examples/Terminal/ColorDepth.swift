/// The number of colors that a terminal shows.
package enum ColorDepth: CaseIterable, Sendable {
  /// No colors, only bold and reversed text.
  case none
  /// The 16 named colors.
  case named
  /// The 256 colors of xterm.
  case palette
  /// All colors.
  case trueColor

  /// Determines the color depth from the command line and the environment.
  ///
  /// The option takes precedence. A `NO_COLOR` variable that is not empty turns colors off, unless an
  /// option turns them on (no-color.org). Otherwise `COLORTERM` and `TERM` decide.
  ///
  /// - Parameters:
  ///   - option: The option on the command line.
  ///   - environment: The environment variables.
  package init(_ option: ColorOption, environment: [String: String]) {
    let offered = Self.offered(by: environment)
    self =
      switch option {
      case .auto: environment["NO_COLOR", default: ""].isEmpty ? offered : .none
      case .always: offered == .none ? .named : offered
      case .never: .none
      case .named: .named
      case .palette: .palette
      case .trueColor: .trueColor
      }
  }

  private static func offered(by environment: [String: String]) -> ColorDepth {
    let terminal = environment["TERM", default: ""]
    if terminal.isEmpty || terminal == "dumb" { return .none }
    let isDirect = ["truecolor", "24bit"].contains(environment["COLORTERM", default: ""])
    if isDirect || terminal.hasSuffix("-direct") { return .trueColor }
    return terminal.contains("256color") ? .palette : .named
  }

  /// Returns the closest color that the terminal can show; `nil` if it shows none.
  package func shown(_ color: Color) -> ShownColor? {
    switch self {
    case .none: nil
    case .named: .indexed(XtermPalette.nearestNamed(to: color))
    case .palette: .indexed(XtermPalette.nearest(to: color))
    case .trueColor: .direct(color)
    }
  }

  /// Returns the closest style that the terminal can show.
  ///
  /// Text stays legible: if two different colors map to the same one, the text becomes black or white.
  package func shown(_ style: Style) -> ShownStyle {
    var shown = ShownStyle()
    shown.isBold = style.isBold
    shown.isReversed = self == .none && style.standsOut
    shown.foreground = style.foreground.flatMap { self.shown($0) }
    shown.background = style.background.flatMap { self.shown($0) }
    let isLost = shown.foreground == shown.background && style.foreground != style.background
    if isLost, let background = style.background, shown.background != nil {
      shown.foreground = self.shown(Self.readable(on: background))
    }
    return shown
  }

  private static func readable(on background: Color) -> Color {
    background.isLight
      ? Color(red: 0, green: 0, blue: 0) : Color(red: 255, green: 255, blue: 255)
  }
}
