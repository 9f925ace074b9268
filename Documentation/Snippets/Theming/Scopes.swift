// A part of the screen with values of its own.

import Theming

extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(red: 0, green: 122, blue: 255))
  static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
  static let radius = ThemeKey("corner.radius", default: 4)
}

@MainActor
final class Label {
  var color = RGBA(red: 0, green: 0, blue: 0)
  var corner = 0
  @Themed var themeMap: ThemeMap<Label>?
}

let manager = ThemeManager(Theme("Day", appearance: .dark) { $0[alias: .accent] = .brand })

let sidebar = try manager.scope { $0[.brand] = RGBA(red: 0, green: 150, blue: 136) }

let map: ThemeMap<Label> = [.set(\.color, .accent), .set(\.corner, .radius)]
let title = Label()
let entry = Label()
title.themeMap = map.scoped(manager)
entry.themeMap = map.scoped(sidebar)  // the sidebar's brand, the manager's radius

try manager.edit { $0[.radius] = 8 }  // both corners
try sidebar.edit { $0[.brand] = RGBA(red: 121, green: 85, blue: 72) }  // the entry alone

// From now on the sidebar uses Night, regardless of the manager.
try sidebar.use(Theme("Night", appearance: .dark))

// snippet.hide
precondition(title.corner == 8 && entry.corner == 4 && entry.color.hex == "#007aff")
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
