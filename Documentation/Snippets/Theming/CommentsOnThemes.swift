// The samples of documentation comments about themes, scopes and documents.

import Theming

extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(red: 0, green: 122, blue: 255))
  static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
}

var night = Theme("Night", appearance: .dark)
night[.brand] = RGBA(red: 110, green: 160, blue: 255)
night[alias: .accent] = .brand
let ember = night.deriving("Ember") { $0[.brand] = RGBA(red: 255, green: 120, blue: 60) }
// snippet.hide
precondition(ember[.accent].hex == "#ff783c")

// snippet.show
extension ThemeKeys {
  static let ink = ThemeKey("color.ink", default: RGBA(red: 30, green: 30, blue: 30))
}

@MainActor
final class Badge: Themeable {
  let themeSlot = ThemeSlot()
  var ink = RGBA(red: 0, green: 0, blue: 0)
}

let badge = Badge()
badge.themeMap = [.set(\.ink, .ink)]  // subscribes, applies now
// snippet.hide
precondition(badge.ink.hex == "#1e1e1e")

// snippet.show
extension ThemeKeys {
  static let paper = ThemeKey("color.paper", default: RGBA(red: 250, green: 250, blue: 250))
}

@MainActor
final class Page {
  var backgroundColor: String?
  @Themed var themeMap: ThemeMap<Page>?
}

let page = Page()
page.themeMap = [.set(\.backgroundColor, .paper) { $0.hex }]
// snippet.hide
precondition(page.backgroundColor == "#fafafa")

// snippet.show
extension ThemeKeys {
  static let gutter = ThemeKey("gutter", default: 2)
  static let title = ThemeKey("title", default: "")
}

let layout: [AnyThemeKey] = [.gutter, .title]
// snippet.hide
precondition(layout.map(\.name) == ["gutter", "title"])

// snippet.show
extension ThemeKeys {
  static let ground = ThemeKey("color.ground", default: RGBA(red: 20, green: 24, blue: 32))
  static let margin = ThemeKey("margin", default: 2)
}

enum AppTheme: ThemeSchema {
  static let keys: [AnyThemeKey] = [.ground, .margin]
}

func theme(from decoder: any Decoder, over base: Theme) throws -> Theme {
  let document = try ThemeDocument<AppTheme>(from: decoder)
  for issue in document.issues { print(issue) }
  return try document.theme(extending: base)
}
// snippet.hide

@MainActor func manager() throws {
  // snippet.show
  try ThemeManager.shared.use(Theme("Night", appearance: .dark))
  // snippet.hide
  precondition(ThemeManager.shared.theme.name == "Night")
}

try manager()

// snippet.show
extension ThemeKeys {
  static let tint = ThemeKey("color.tint", default: RGBA(red: 20, green: 24, blue: 32))
}

enum ShopTheme: ThemeSchema {
  static let keys: [AnyThemeKey] = [.tint]
}

protocol ThemeStore {
  var files: [String] { get }
  func decoder(for file: String) throws -> any Decoder
}

@MainActor func register(_ store: some ThemeStore, in manager: ThemeManager) {
  let loaded = ThemeDocument<ShopTheme>.load(store.files, extending: [manager.theme]) { file in
    try ThemeDocument(from: store.decoder(for: file))
  }
  for theme in loaded.themes { manager.register(theme) }
  for issue in loaded.issues { print(issue) }  // each names its file
}
// snippet.hide

struct NoFiles: ThemeStore {
  let files: [String] = []
  func decoder(for file: String) throws -> any Decoder { throw CancellationError() }
}

register(NoFiles(), in: ThemeManager.shared)

// snippet.show
@MainActor func appearanceDidChange(_ manager: ThemeManager, isDark: Bool) {
  manager.reportSystemAppearance(isDark ? .dark : .light)
}
// snippet.hide

appearanceDidChange(.shared, isDark: true)
