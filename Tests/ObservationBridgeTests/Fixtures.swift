internal import EventBus
internal import ObservationBridge
internal import Theming

extension ThemeKeys {
  static let accent = ThemeKey("observed.accent", default: RGBA(red: 128, green: 128, blue: 128))
  static let brand = ThemeKey("observed.brand", default: RGBA(red: 128, green: 128, blue: 128))
  static let radius = ThemeKey("observed.radius", default: 4)
  static let font = ThemeKey("observed.font", default: "Sans")
}

extension RGBA {
  static let red = RGBA(red: 255, green: 0, blue: 0)
  static let blue = RGBA(red: 0, green: 0, blue: 255)
}

/// A manager with its own bus, which isolates the tests from each other.
@MainActor
func makeManager(_ theme: Theme = Theme("first", appearance: .dark), bus: EventBus = EventBus())
  -> ThemeManager
{
  ThemeManager(theme, bus: bus)
}
