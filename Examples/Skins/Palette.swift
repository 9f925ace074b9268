import LaunchLoader
import Theming

// The keys of a skin. Each has a name, a type of value, and a default for skins that do not set it.
extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(red: 0, green: 122, blue: 255))
  static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
  static let barGround = ThemeKey("color.bar.ground", default: RGBA(red: 0, green: 122, blue: 255))
  static let barText = ThemeKey("color.bar.text", default: RGBA(red: 255, green: 255, blue: 255))
  static let paper = ThemeKey("color.paper", default: RGBA(red: 255, green: 255, blue: 255))
  static let card = ThemeKey("color.card", default: RGBA(red: 255, green: 255, blue: 255))
  static let ink = ThemeKey("color.ink", default: RGBA(red: 0, green: 0, blue: 0))
  static let muted = ThemeKey("color.muted", default: RGBA(red: 96, green: 96, blue: 96))
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
    $0[.brand] = RGBA(red: 0xa8, green: 0x3f, blue: 0x1d)
    $0[alias: .accent] = .brand
    $0[alias: .barGround] = .brand
    $0[.barText] = RGBA(red: 0xff, green: 0xf6, blue: 0xe8)
    $0[.paper] = RGBA(red: 0xf3, green: 0xea, blue: 0xda)
    $0[.card] = RGBA(red: 0xfd, green: 0xf9, blue: 0xf1)
    $0[.ink] = RGBA(red: 0x2b, green: 0x26, blue: 0x20)
    $0[.muted] = RGBA(red: 0x6f, green: 0x65, blue: 0x58)
    $0[.corner] = 6
  }

  static let night = Theme("Night", appearance: .dark) {
    $0[.brand] = RGBA(red: 0x88, green: 0xb4, blue: 0xff)
    $0[alias: .accent] = .brand
    $0[.barGround] = RGBA(red: 0x24, green: 0x2c, blue: 0x42)
    $0[.barText] = RGBA(red: 0xe8, green: 0xed, blue: 0xf7)
    $0[.paper] = RGBA(red: 0x0f, green: 0x13, blue: 0x1d)
    $0[.card] = RGBA(red: 0x19, green: 0x1f, blue: 0x2e)
    $0[.ink] = RGBA(red: 0xd8, green: 0xde, blue: 0xe9)
    $0[.muted] = RGBA(red: 0x8b, green: 0x96, blue: 0xab)
    $0[.corner] = 6
  }

  /// A warmer Night, with its own body color; the accent is an alias of Night and follows the
  /// brand.
  static let ember = night.deriving("Ember") {
    $0[.brand] = RGBA(red: 0xff, green: 0x9e, blue: 0x57)
    $0[.barGround] = RGBA(red: 0x5c, green: 0x27, blue: 0x16)
    $0[.paper] = RGBA(red: 0x1c, green: 0x10, blue: 0x0c)
    $0[.card] = RGBA(red: 0x2c, green: 0x1a, blue: 0x13)
    $0[.ink] = RGBA(red: 0xf1, green: 0xdf, blue: 0xd2)
    $0[.muted] = RGBA(red: 0xb5, green: 0x97, blue: 0x86)
    $0[.marker] = "▲"
  }

  static let contrast = Theme("Contrast", appearance: .dark) {
    $0[.brand] = RGBA(red: 0xff, green: 0xe6, blue: 0x00)
    $0[alias: .accent] = .brand
    $0[alias: .barGround] = .brand
    $0[.barText] = RGBA(red: 0, green: 0, blue: 0)
    $0[.paper] = RGBA(red: 0, green: 0, blue: 0)
    $0[.card] = RGBA(red: 0, green: 0, blue: 0)
    $0[.ink] = RGBA(red: 255, green: 255, blue: 255)
    $0[.muted] = RGBA(red: 0xd8, green: 0xd8, blue: 0xd8)
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
