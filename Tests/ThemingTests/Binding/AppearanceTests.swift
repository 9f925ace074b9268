import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Appearance")
struct AppearanceTests {
  let day = Theme("Day", appearance: .light) { $0[.radius] = 1 }
  let night = Theme("Night") { $0[.radius] = 2 }

  func pair() -> ThemeManager { ThemeManager(light: day, dark: night, bus: EventBus()) }

  @Test(
    "The preference, and the system if the preference is that of the system, decide the appearance",
    arguments: [
      (AppearancePreference.light, Appearance?.none, "Day"), (.light, .dark, "Day"),
      (.dark, nil, "Night"), (.dark, .light, "Night"),
      (.system, .light, "Day"), (.system, .dark, "Night"), (.system, nil, "Night"),
    ]
  )
  func table(_ preference: AppearancePreference, _ system: Appearance?, _ expected: String) {
    let manager = pair()
    manager.preference = preference
    manager.systemAppearance = system
    #expect(manager.theme.name == expected)
    #expect(manager.preference == preference && manager.systemAppearance == system)

    let other = pair()
    other.systemAppearance = system
    other.preference = preference
    #expect(other.theme.name == expected)
  }

  @Test("A report that changes nothing causes no switch")
  func noSwitch() {
    let manager = pair()
    manager.systemAppearance = .dark
    #expect(manager.version == 0)
    manager.systemAppearance = .light
    manager.systemAppearance = .light
    #expect(manager.version == 1)
    manager.preference = .light
    manager.systemAppearance = .dark
    #expect(manager.version == 2 && manager.theme.name == "Day")
  }

  @Test("A theme in use stays until the preference is set or the system changes")
  func explicitTheme() throws {
    let manager = pair()
    let ember = Theme("Ember") { $0[.radius] = 9 }
    try manager.use(ember)
    manager.systemAppearance = .dark
    #expect(manager.theme.name == "Ember")
    manager.preference = .system
    #expect(manager.theme.name == "Night")
    try manager.use(ember)
    manager.systemAppearance = .light
    #expect(manager.theme.name == "Day")
  }

  @Test("An appearance change updates the views and is posted on the bus")
  func posted() {
    let bus = EventBus()
    let manager = ThemeManager(light: day, dark: night, bus: bus)
    let log = Log<String>()
    let token = bus.observe(.themeDidChange) { log.append("\($0.old.name) → \($0.new.name)") }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    manager.systemAppearance = .light
    #expect(label.corner == 1)
    #expect(log.entries == ["Night → Day"])
    token.cancel()
  }

  @Test("Both themes of the pair are known by name")
  func names() throws {
    let manager = pair()
    try manager.use("Day")
    #expect(manager.theme.name == "Day")
    try manager.use("Night")
    #expect(manager.theme.name == "Night")
  }

  @Test("System appearance and preference may be set and read in any scope")
  func reportedByScope() throws {
    let manager = pair()
    let scope = try manager.scope { _ in }
    scope.systemAppearance = .light
    #expect(manager.systemAppearance == .light && manager.theme.name == "Day")
    manager.systemAppearance = .dark
    manager.preference = .light
    #expect(scope.systemAppearance == .dark && scope.preference == .light)
  }

  @Test("When the system's appearance becomes unknown, the dark theme returns")
  func forgotten() {
    let manager = pair()
    manager.systemAppearance = .light
    manager.systemAppearance = nil
    #expect(manager.systemAppearance == nil && manager.theme.name == "Night")
  }
}
