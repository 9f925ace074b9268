// A view that follows the theme, and a switch.

import Theming

extension ThemeKeys {
  static let accent = ThemeKey("color.accent", default: RGBA(0x007AFF))
  static let radius = ThemeKey("corner.radius", default: 4)
}

@MainActor
final class Label {
  var color = RGBA(0x000000)
  var corner = 0
  @Themed var themeMap: ThemeMap<Label>?
}

let label = Label()
label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]  // subscribes, applies now

var night = Theme("Night", appearance: .dark)
night[.accent] = RGBA(0x6EA0FF)
let ember = night.deriving("Ember") { $0[.radius] = 8 }

try ThemeManager.shared.use(night)
// snippet.hide
try ThemeManager.shared.use(ember)
precondition(label.color.hex == "#6ea0ff" && label.corner == 8)
