import EventBus
import Theming

struct User: Sendable { var name = "" }

extension EventNames {
  static let userDidLogIn = EventName<User>("client.userDidLogIn")
  static let fontDidChange = EventName<Int>("client.fontDidChange", replay: 1)
  static let didSave = EventName<Void>("client.didSave")
}

extension ThemeKeys {
  static let accent = ThemeKey<RGBA>("color.accent", default: RGBA(red: 0, green: 0, blue: 255))
  static let brand = ThemeKey<RGBA>("color.brand", default: RGBA(red: 255, green: 0, blue: 0))
  static let radius = ThemeKey<Int>("radius", default: 2)
}
