// The samples of documentation comments about views and maps.

import Theming

extension ThemeKeys {
  static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
  static let radius = ThemeKey("corner.radius", default: 4)
}

@MainActor
final class Label {
  var color = RGBA(red: 0, green: 0, blue: 0)
  var corner = 0
  @Themed var themeMap: ThemeMap<Label>?
}

let label = Label()
label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]  // subscribes, applies now
// snippet.hide
precondition(label.color.hex == "#007aff" && label.corner == 4)
