// A part of the screen with its own values.

import EventBus
import Theming

extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(0x007AFF))
  static let accent = ThemeKey("color.accent", default: RGBA(0x007AFF))
  static let radius = ThemeKey("corner.radius", default: 4)
}

@MainActor
final class Label {
  var color = RGBA(0x000000)
  var corner = 0
  @Themed var themeMap: ThemeMap<Label>?
}

let manager = ThemeManager(Theme("Day", appearance: .light) { $0[alias: .accent] = .brand })

let sidebar = try manager.scope { $0[.brand] = RGBA(0x009688) }

let map: ThemeMap<Label> = [.set(\.color, .accent), .set(\.corner, .radius)]
let title = Label()
let entry = Label()
title.themeMap = map.scoped(manager)
entry.themeMap = map.scoped(sidebar)  // the sidebar's brand, the manager's radius

try manager.edit { $0[.radius] = 8 }  // both corners
try sidebar.edit { $0[.brand] = RGBA(0x795548) }  // the entry alone

// snippet.hide
precondition(title.corner == 8 && entry.corner == 8 && entry.color.hex == "#795548")
// snippet.show
extension ThemeKeys {
  static let noteBrand = ThemeKey("note.brand", default: RGBA(0x8A6D00))
}

let night = Theme("Night", appearance: .dark) {
  $0[alias: .accent] = .brand
  $0[.noteBrand] = RGBA(0xFFD54F)
}
let note = try manager.scope { $0[alias: .brand] = .noteBrand }
try manager.use(night)  // the note's brand is #ffd54f

// snippet.hide
precondition(note.theme[.accent].hex == "#ffd54f" && title.corner == 4)
// snippet.show
let hint = try manager.scope { _ in }
let following = EventBus.default.observe(.themeDidChange, from: manager) { @MainActor change in
  let isDark = change.new.appearance == .dark
  do {
    try hint.edit { $0[.brand] = isDark ? RGBA(0x80CBC4) : RGBA(0x00695C) }
  } catch {
    print(error)  // an alias cycle
  }
}
try manager.use(Theme("Dusk", appearance: .dark))  // the hint's brand is #80cbc4

// snippet.hide
precondition(hint.theme[.brand].hex == "#80cbc4")
following.cancel()
// snippet.show
// From now on the sidebar uses Night, regardless of the manager.
try sidebar.use(night)

// snippet.hide
precondition(entry.color.hex == "#007aff")
// snippet.show
@MainActor
final class Panel {
  let scope: ThemeManager
  let labels: [Label]

  init(in manager: ThemeManager) throws(ThemeError) {
    let scope = try manager.scope { $0[.radius] = 0 }
    self.scope = scope
    labels = (0..<3).map { _ in Label() }
    for label in labels { label.themeMap = map.scoped(scope) }
  }
}
// snippet.hide
let panel = try Panel(in: manager)
precondition(panel.labels.allSatisfy { $0.corner == 0 })
