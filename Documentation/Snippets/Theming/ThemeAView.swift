// The ways in which a view is themed from its setter.

import EventBus
import Theming

extension ThemeKeys {
  static let ink = ThemeKey("color.ink", default: RGBA(0x1E1E1E))
  static let paper = ThemeKey("color.paper", default: RGBA(0xFFFFFF))
  static let corner = ThemeKey("row.corner", default: 4)
}

@MainActor
class Row {
  var ink = RGBA(0x000000)
  var corner = 0 { didSet { needsLayout = true } }
  var needsLayout = false

  @Themed var themeMap: ThemeMap<Row>?
}

let row = Row()
row.themeMap = [.set(\.ink, .ink), .set(\.corner, .corner)]

let quiet: ThemeMap<Row> = [.set(\.ink, .ink)]
row.themeMap = quiet  // replaces: from now on the corner is not set
row.themeMap = nil  // ends; the properties keep their values

@MainActor
final class Page {
  var backgroundColor: String?
  var spacing = 0.0
  @Themed var themeMap: ThemeMap<Page>?
}

let page = Page()
page.themeMap = [
  .set(\.backgroundColor, .paper) { $0.hex },
  .set(\.spacing, .corner) { Double($0) * 1.5 },
]

@MainActor
final class Badge: Themeable {
  let themeSlot = ThemeSlot()
  var ink = RGBA(0x000000)
}

let badge = Badge()
badge.themeMap = [.set(\.ink, .ink)]  // subscribes, applies now

@MainActor
final class LegacyCell {
  var tint = RGBA(0x000000)
}

let cell = LegacyCell()
let following = ThemeManager.shared.follow(cell, [.set(\.tint, .ink)])
following.cancel()  // or release the cell

try ThemeManager.shared.edit { theme in
  theme[.ink] = RGBA(0x14283C)
  theme[.corner] = 8
}

let token = EventBus.default.observe(.themeDidChange) { change in
  print("\(change.old.name) → \(change.new.name): \(change.changedKeys.count) keys")
}

let day = Theme("Day", appearance: .light)
let night = Theme("Night", appearance: .dark) { $0[.paper] = RGBA(0x10141C) }
let manager = ThemeManager(light: day, dark: night)
manager.systemAppearance = .light  // shows Day
manager.appearancePreference = .dark  // shows Night, regardless of the system

manager.register(
  Theme("Contrast", appearance: .dark) { $0[.ink] = RGBA(0xFFFFFF) }
)
try manager.use("Contrast")  // the user's choice
manager.systemAppearance = .dark  // still shows Contrast
manager.appearancePreference = .system  // shows Night, and follows the system again
try manager.use("Contrast")
// snippet.hide
precondition(page.backgroundColor == "#ffffff" && page.spacing == 12)
precondition(badge.ink.hex == "#14283c" && manager.theme.name == "Contrast")
precondition(!row.needsLayout || row.corner == 4)
token.cancel()
