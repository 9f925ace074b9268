// The first keys, view and switch.

import EventBus
import Theming

nonisolated extension ThemeKeys {
  static let ink = ThemeKey("color.ink", default: RGBA(0x1E1E1E))
  static let corner = ThemeKey("row.corner", default: 4)
}

@MainActor
final class Row {
  var ink = RGBA(0x000000)
  var corner = 0 { didSet { needsLayout = true } }
  var needsLayout = false

  @Themed var themeMap: ThemeMap<Row>?
}

let row = Row()
row.themeMap = [.set(\.ink, .ink), .set(\.corner, .corner)]
print(row.ink, row.corner)  // #1e1e1e 4

// snippet.hide
precondition("\(row.ink) \(row.corner)" == "#1e1e1e 4")
// snippet.show
let night = Theme("Night", appearance: .dark) {
  $0[.ink] = RGBA(0xE6E6E6)
  $0[.corner] = 8
}
try ThemeManager.shared.use(night)
print(row.ink, row.corner)  // #e6e6e6 8

// snippet.hide
precondition("\(row.ink) \(row.corner)" == "#e6e6e6 8")
// snippet.show
let token = EventBus.default.observe(.themeDidChange) { change in
  print("\(change.changedKeys.count) key changed")
}
try ThemeManager.shared.edit { $0[.corner] = 2 }  // 1 key changed
print(row.corner)  // 2
// snippet.hide
precondition(row.corner == 2)
token.cancel()
