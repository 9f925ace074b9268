import LaunchLoader
import Theming

// The keys of a skin. Each has a name, a type of value, and a default for skins that do not set it.
extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(0x007aff))
  static let accent = ThemeKey("color.accent", default: RGBA(0x007aff))
  static let barGround = ThemeKey("color.bar.ground", default: RGBA(0x007aff))
  static let barText = ThemeKey("color.bar.text", default: RGBA(0xffffff))
  static let paper = ThemeKey("color.paper", default: RGBA(0xffffff))
  static let card = ThemeKey("color.card", default: RGBA(0xffffff))
  static let ink = ThemeKey("color.ink", default: RGBA(0x000000))
  static let muted = ThemeKey("color.muted", default: RGBA(0x606060))
  static let marker = ThemeKey("row.marker", default: "●")
  static let corner = ThemeKey("row.corner", default: 4)
}

/// The keys that theme files can set.
enum Palette: ThemeSchema {
  static let keys: [AnyThemeKey] = [
    .brand, .accent, .barGround, .barText, .paper, .card, .ink, .muted, .marker, .corner,
  ]
}

// The built-in skins.
extension Theme {
  static let day = Theme("Day", appearance: .light) {
    $0[.brand] = RGBA(0xa83f1d)
    $0[alias: .accent] = .brand
    $0[alias: .barGround] = .brand
    $0[.barText] = RGBA(0xfff6e8)
    $0[.paper] = RGBA(0xf3eada)
    $0[.card] = RGBA(0xfdf9f1)
    $0[.ink] = RGBA(0x2b2620)
    $0[.muted] = RGBA(0x6f6558)
    $0[.corner] = 6
  }

  static let night = Theme("Night", appearance: .dark) {
    $0[.brand] = RGBA(0x88b4ff)
    $0[alias: .accent] = .brand
    $0[.barGround] = RGBA(0x242c42)
    $0[.barText] = RGBA(0xe8edf7)
    $0[.paper] = RGBA(0x0f131d)
    $0[.card] = RGBA(0x191f2e)
    $0[.ink] = RGBA(0xd8dee9)
    $0[.muted] = RGBA(0x8b96ab)
    $0[.corner] = 6
  }

  /// A warmer Night, with its own body color; the accent is an alias of Night and follows the
  /// brand.
  static let ember = night.deriving("Ember") {
    $0[.brand] = RGBA(0xff9e57)
    $0[.barGround] = RGBA(0x5c2716)
    $0[.paper] = RGBA(0x1c100c)
    $0[.card] = RGBA(0x2c1a13)
    $0[.ink] = RGBA(0xf1dfd2)
    $0[.muted] = RGBA(0xb59786)
    $0[.marker] = "▲"
  }

  static let contrast = Theme("Contrast", appearance: .dark) {
    $0[.brand] = RGBA(0xffe600)
    $0[alias: .accent] = .brand
    $0[alias: .barGround] = .brand
    $0[.barText] = RGBA(0x000000)
    $0[.paper] = RGBA(0x000000)
    $0[.card] = RGBA(0x000000)
    $0[.ink] = RGBA(0xffffff)
    $0[.muted] = RGBA(0xd8d8d8)
    $0[.marker] = "■"
    $0[.corner] = 0
  }
}

extension ThemeManager {
  /// The manager of the demo, which follows the system with Day and Night.
  static let skins = ThemeManager(light: .day, dark: .night)
}

// A worker isolated to the main actor runs there.
#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = {
  LaunchLoader.register("palette") { @MainActor _ in
    ThemeManager.skins.register(.ember, .contrast)
    Diary.shared.note("palette")
  }
}
