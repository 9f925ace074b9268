/// How many colours a terminal shows.
package enum ColourDepth: CaseIterable, Sendable {
  /// None: text is bold or reversed at most.
  case none
  /// The sixteen named ones.
  case named
  /// The 256 of xterm.
  case palette
  /// All.
  case trueColour

  /// Decides from what the user and the environment say.
  ///
  /// An option counts most. `NO_COLOR`, if it is not empty, switches colours off; an option may switch
  /// them on again (no-color.org). Otherwise `COLORTERM` and `TERM` say how many there are.
  ///
  /// - Parameters:
  ///   - option: What the command line says.
  ///   - environment: The variables by name.
  package init(_ option: ColourOption, environment: [String: String]) {
    let offered = Self.offered(by: environment)
    self =
      switch option {
      case .auto: environment["NO_COLOR", default: ""].isEmpty ? offered : .none
      case .always: offered == .none ? .named : offered
      case .never: .none
      case .named: .named
      case .palette: .palette
      case .trueColour: .trueColour
      }
  }

  private static func offered(by environment: [String: String]) -> ColourDepth {
    let terminal = environment["TERM", default: ""]
    if terminal.isEmpty || terminal == "dumb" { return .none }
    let isDirect = ["truecolor", "24bit"].contains(environment["COLORTERM", default: ""])
    if isDirect || terminal.hasSuffix("-direct") { return .trueColour }
    return terminal.contains("256color") ? .palette : .named
  }

  /// A colour as the terminal can show it; `nil` if it shows none.
  package func shown(_ colour: Colour) -> ShownColour? {
    switch self {
    case .none: nil
    case .named: .indexed(XtermPalette.nearestNamed(to: colour))
    case .palette: .indexed(XtermPalette.nearest(to: colour))
    case .trueColour: .direct(colour)
    }
  }

  /// A style as the terminal can show it.
  ///
  /// Text does not disappear: where two different colours come out as one, the text becomes black or
  /// white.
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

  private static func readable(on background: Colour) -> Colour {
    background.isLight
      ? Colour(red: 0, green: 0, blue: 0) : Colour(red: 255, green: 255, blue: 255)
  }
}
