import Theming

extension ThemeKeys {
  static let paper = ThemeKey<RGBA>("paper", default: RGBA(red: 20, green: 20, blue: 24))
  static let ink = ThemeKey<RGBA>("ink", default: RGBA(red: 230, green: 230, blue: 230))
  static let accent = ThemeKey<RGBA>("accent", default: RGBA(red: 120, green: 170, blue: 255))
}

/// The skins to choose from.
let skins: [Theme] = [
  Theme("Night", appearance: .dark),
  Theme("Ember", appearance: .dark) { theme in
    theme[.paper] = RGBA(red: 38, green: 18, blue: 12)
    theme[.ink] = RGBA(red: 250, green: 222, blue: 200)
    theme[.accent] = RGBA(red: 255, green: 120, blue: 60)
  },
  Theme("Meadow", appearance: .dark) { theme in
    theme[.paper] = RGBA(red: 16, green: 40, blue: 26)
    theme[.ink] = RGBA(red: 214, green: 240, blue: 214)
    theme[.accent] = RGBA(red: 120, green: 220, blue: 110)
  },
  Theme("Paper", appearance: .light) { theme in
    theme[.paper] = RGBA(red: 250, green: 248, blue: 240)
    theme[.ink] = RGBA(red: 40, green: 40, blue: 44)
    theme[.accent] = RGBA(red: 180, green: 50, blue: 70)
  },
]
