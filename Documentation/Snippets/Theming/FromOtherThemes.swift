// The equivalents of other libraries of themes.

import Theming

extension ThemeKeys {
  static let background = ThemeKey("color.background", default: RGBA(0xFFFFFF))
  static let text = ThemeKey("color.text", default: RGBA(0x000000))
}

let night = Theme("Night", appearance: .dark) {
  $0[.background] = RGBA(0x343434)
  $0[.text] = RGBA(0xE6E6E6)
}

@MainActor
final class Card {
  var backgroundColor = RGBA(0x000000)
  var textColor = RGBA(0x000000)
  @Themed var themeMap: ThemeMap<Card>?
}

let card = Card()
card.themeMap = [.set(\.backgroundColor, .background), .set(\.textColor, .text)]
try ThemeManager.shared.use(night)
// snippet.hide
precondition(card.backgroundColor.hex == "#343434" && card.textColor.hex == "#e6e6e6")
