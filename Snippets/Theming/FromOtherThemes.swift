// The equivalents of other libraries of themes.

import EventBus
import Theming

// One name for a list of values by index, a row of a table, a property of a protocol.
extension ThemeKeys {
  static let background = ThemeKey(
    "color.background",
    default: RGBA(red: 255, green: 255, blue: 255)
  )
  static let text = ThemeKey("color.text", default: RGBA(red: 0, green: 0, blue: 0))
}

let day = Theme("Day", appearance: .light)
let night = Theme("Night") {
  $0[.background] = RGBA(red: 52, green: 52, blue: 52)
  $0[.text] = RGBA(red: 230, green: 230, blue: 230)
}

@MainActor
final class Card {
  var backgroundColor = RGBA(red: 0, green: 0, blue: 0)
  var textColor = RGBA(red: 0, green: 0, blue: 0)
  @Themed var theme: ThemeMap<Card>?
}

let card = Card()

// view.theme_backgroundColor = ["#FFF", "#343434"]; label.theme_textColor = "Global.textColor"
card.theme = [.set(\.backgroundColor, .background), .set(\.textColor, .text)]

// ThemeManager.setTheme(index: 1)
try ThemeManager.shared.use(night)

// NotificationCenter, ThemeUpdateNotification
let changes = EventBus.default.observe(.themeDidChange) { change in
  print(change.new.name, change.changedKeys)
}

// self.view.dk_backgroundColorPicker = DKColorPickerWithKey(BG);
card.theme = [.set(\.backgroundColor, .background)]

// [self.dk_manager nightFalling]; self.dk_manager.themeVersion = @"NIGHT";
try ThemeManager.shared.use(night)

// let themeService = ThemeType.service(initial: .light)
let manager = ThemeManager(day)

// themeService.rx.bind({ $0.textColor }, to: label.rx.textColor).disposed(by: disposeBag)
let following = manager.follow(card, [.set(\.textColor, .text)])

// themeService.switch(.dark)
try manager.use(night)

// themeService.type.associatedObject.textColor
let textColor = manager.theme[.text]

// snippet.hide
precondition(card.backgroundColor.hex == "#343434" && card.textColor == textColor)
following.cancel()
changes.cancel()
