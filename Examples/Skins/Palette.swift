import LaunchLoader
import Theming

// What a skin decides.
extension ThemeKeys {
  static let paper = ThemeKey("color.paper", default: RGBA(red: 255, green: 255, blue: 255))
  static let ink = ThemeKey("color.ink", default: RGBA(red: 0, green: 0, blue: 0))
  static let corner = ThemeKey("row.corner", default: 4)
}

// The skins.
extension Theme {
  static let day = Theme("Day", appearance: .light) {
    $0[.paper] = RGBA(red: 0xfb, green: 0xf7, blue: 0xef)
    $0[.ink] = RGBA(red: 0x2b, green: 0x26, blue: 0x20)
  }

  static let night = Theme("Night") {
    $0[.paper] = RGBA(red: 0x14, green: 0x18, blue: 0x24)
    $0[.ink] = RGBA(red: 0xd8, green: 0xde, blue: 0xe9)
  }

  static let ember = night.deriving("Ember") { $0[.ink] = RGBA(red: 0xff, green: 0xb0, blue: 0x70) }
}

// A worker written on the main actor runs there.
#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = {
  LaunchLoader.register("palette") { @MainActor _ in
    try ThemeManager.shared.use(.day)
    Diary.shared.note("palette")
  }
}
