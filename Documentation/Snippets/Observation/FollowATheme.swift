// A value of a theme, read by code that tracks what it reads.

import ObservationBridge
import Theming

extension ThemeKeys {
  static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
}

let theme = ObservableTheme(ThemeManager(Theme("Day", appearance: .dark)))
let accent = theme[.accent]  // in the `body` of a view, which then follows this key
try theme.use(
  Theme("Night", appearance: .dark) { $0[.accent] = RGBA(red: 110, green: 160, blue: 255) }
)
// snippet.hide
precondition(accent.hex == "#007aff" && theme[.accent].hex == "#6ea0ff")
