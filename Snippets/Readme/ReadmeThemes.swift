// A theme, and a view that follows it.

import Theming

extension ThemeKeys {
  static let accent = ThemeKey<RGBA>("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
}

@MainActor final class Label {
  var color = RGBA(red: 0, green: 0, blue: 0)
  @Themed var themeMap: ThemeMap<Label>?
}

let label = Label()
label.themeMap = [.set(\.color, .accent)]  // subscribes, and applies the theme in use
try ThemeManager.shared.use(Theme("Ember") { $0[.accent] = RGBA(red: 226, green: 88, blue: 34) })
print(label.color)  // #e25822; if the label dies, its subscription ends with it
label.themeMap = nil  // ends the subscription

// snippet.hide
precondition(label.color == RGBA(red: 226, green: 88, blue: 34))
// snippet.show

let sidebar = try ThemeManager.shared.scope { $0[.accent] = RGBA(red: 0, green: 150, blue: 136) }
label.themeMap = ThemeMap([.set(\.color, .accent)]).scoped(sidebar)

// snippet.hide
precondition(label.color.hex == "#009688")
