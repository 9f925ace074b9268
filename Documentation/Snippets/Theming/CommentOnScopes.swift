// A scope with an override.

import Theming

extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(red: 0, green: 122, blue: 255))
}

let manager = ThemeManager(Theme("Day", appearance: .dark))
let sidebar = try manager.scope { $0[.brand] = RGBA(red: 0, green: 150, blue: 136) }
// snippet.hide
precondition(sidebar.theme[.brand].hex == "#009688")
