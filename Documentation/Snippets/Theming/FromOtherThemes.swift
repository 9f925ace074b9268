// The equivalents of other libraries of themes.

import EventBus
import Theming

extension ThemeKeys {
  static let background = ThemeKey(
    "color.background",
    default: RGBA(red: 255, green: 255, blue: 255)
  )
  static let text = ThemeKey("color.text", default: RGBA(red: 0, green: 0, blue: 0))
}

let day = Theme("Day", appearance: .light)
let night = Theme("Night", appearance: .dark) {
  $0[.background] = RGBA(red: 52, green: 52, blue: 52)
  $0[.text] = RGBA(red: 230, green: 230, blue: 230)
}

@MainActor
final class Card {
  var backgroundColor = RGBA(red: 0, green: 0, blue: 0)
  var textColor = RGBA(red: 0, green: 0, blue: 0)
  @Themed var themeMap: ThemeMap<Card>?
}

let card = Card()
card.themeMap = [.set(\.backgroundColor, .background), .set(\.textColor, .text)]
try ThemeManager.shared.use(night)

let changes = EventBus.default.observe(.themeDidChange) { change in
  print(change.new.name, change.changedKeys)
}

card.themeMap = [.set(\.backgroundColor, .background)]
try ThemeManager.shared.use(night)

let manager = ThemeManager(day)
let following = manager.follow(card, [.set(\.textColor, .text)])
try manager.use(night)
let textColor = manager.theme[.text]

// snippet.hide
precondition(card.backgroundColor.hex == "#343434" && card.textColor == textColor)
following.cancel()
changes.cancel()
