// A view that follows the theme.

import Theming

nonisolated extension ThemeKeys {
  static let accent = ThemeKey("color.accent", default: RGBA(0x007AFF))
}

@MainActor final class Label {
  var color = RGBA(0x000000)
  @Themed var themeMap: ThemeMap<Label>?
}

let label = Label()
label.themeMap = [.set(\.color, .accent)]  // subscribes the label, and applies the theme in use
let night = Theme("Night", appearance: .dark) { $0[.accent] = RGBA(0x6EA0FF) }
try ThemeManager.shared.use(night)  // sets label.color; the subscription ends with the label
// snippet.hide
precondition(label.color == RGBA(0x6EA0FF))
