import EventBus
import Theming

enum Keys: ThemeSchema {
  static var keys: [AnyThemeKey] { [ThemeKeys.accent, ThemeKeys.brand, ThemeKeys.radius] }
}

@MainActor
final class Label {
  var color = RGBA(red: 0, green: 0, blue: 0)
  var radius = 0
  @Themed var themeMap: ThemeMap<Label>?
}

@MainActor
final class Panel: Themeable {
  var color = RGBA(red: 0, green: 0, blue: 0)
  let themeSlot = ThemeSlot()
}

@MainActor
func skin(_ panel: Panel) throws -> Int {
  let manager = ThemeManager(Theme("day", appearance: .light) { $0[.radius] = 4 })
  let label = Label()
  label.themeMap = [.set(\.color, .accent), .set(\.radius, .radius)]
  panel.themeMap = [.set(\.color, .brand)]
  let token = manager.follow(label, [.set(\.color, .accent)])
  try manager.use(
    Theme("night", appearance: .dark).deriving("ember") { $0[alias: .accent] = .brand }
  )
  try manager.edit { $0[.radius] += 1 }
  panel.themeMap = ThemeMap<Panel>([.set(\.color, .brand)]).scoped(
    try manager.scope { $0[.radius] = 8 }
  )
  let change = EventBus.default.observe(.themeDidChange) { change in print(change.changedKeys.count)
  }
  defer { change.cancel() }
  token.cancel()
  let document = ThemeDocument<Keys>(manager.theme)
  let rules = [ContrastRule(.accent, on: .brand, atLeast: 4.5)]
  return try document.theme().contrastIssues(rules).count + label.radius
}
