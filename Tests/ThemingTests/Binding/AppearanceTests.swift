import EventBus
import EventBusTesting
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Appearance")
struct AppearanceTests {
  let day = Theme("Day", appearance: .light) { $0[.radius] = 1 }
  let night = Theme("Night", appearance: .dark) { $0[.radius] = 2 }

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
    manager.appearancePreference = preference
    manager.systemAppearance = system
    #expect(manager.theme.name == expected)
    #expect(manager.appearancePreference == preference && manager.systemAppearance == system)

    let other = pair()
    other.systemAppearance = system
    other.appearancePreference = preference
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
    manager.appearancePreference = .light
    manager.systemAppearance = .dark
    #expect(manager.version == 2 && manager.theme.name == "Day")
  }

  @Test("A theme in use, by name or by value, is a choice: it stays until the preference is set")
  func explicitTheme() throws {
    let ember = Theme("Ember", appearance: .dark) { $0[.radius] = 9 }
    let choices: [(String, (ThemeManager) throws -> Void, String)] = [
      ("by value", { try $0.use(ember) }, "Ember"), ("by name", { try $0.use("Ember") }, "Ember"),
      ("one of the pair", { try $0.use("Day") }, "Day"),
      ("the theme in use", { try $0.use($0.theme) }, "Night"),
    ]
    for (kind, choose, name) in choices {
      let manager = pair()
      manager.register(ember)
      try choose(manager)
      for appearance in [Appearance.light, .dark, nil, .light] {
        manager.systemAppearance = appearance
        #expect(
          manager.theme.name == name,
          "\(kind), the system is \(String(describing: appearance))"
        )
      }
      #expect(
        manager.appearancePreference == .system && manager.systemAppearance == .light,
        "\(kind)"
      )
      manager.appearancePreference = .system
      #expect(manager.theme.name == "Day", "\(kind)")
      manager.systemAppearance = .dark
      #expect(manager.theme.name == "Night", "\(kind)")
    }
  }

  @Test("A choice made before the first report is kept, as is one in a handler of a switch")
  func restoredChoice() throws {
    let manager = pair()
    let ember = Theme("Ember", appearance: .dark) { $0[.radius] = 9 }
    let token = manager.bus.observe(.themeDidChange) { change in
      MainActor.assumeIsolated {
        if change.new.name == "Day" { try? change.manager.use(ember) }
      }
    }
    manager.systemAppearance = .light
    #expect(manager.theme.name == "Ember")
    manager.systemAppearance = .dark
    #expect(manager.theme.name == "Ember")
    token.cancel()
  }

  @Test("Neither a theme that is refused, nor an edit, nor the theme of a scope is a choice")
  func noChoice() throws {
    let cycle = Theme("Circle", appearance: .dark) {
      $0[alias: .accent] = .brand
      $0[alias: .brand] = .accent
    }
    let attempts: [(String, (ThemeManager) throws -> Void)] = [
      ("refused", { try? $0.use(cycle) }), ("unknown", { try? $0.use("Nobody") }),
      ("edit", { try $0.edit { $0[.radius] = 7 } }),
      ("scope", { try $0.scope { _ in }.use(Theme("Ember", appearance: .dark)) }),
    ]
    for (kind, attempt) in attempts {
      let manager = pair()
      try attempt(manager)
      manager.systemAppearance = .light
      #expect(manager.theme.name == "Day", "\(kind)")
    }
  }

  @Test("The scopes of a manager with a choice stay with it")
  func chosenAboveAScope() throws {
    let manager = pair()
    let scope = try manager.scope { $0[.accent] = .red }
    try manager.use(Theme("Ember", appearance: .dark) { $0[.radius] = 9 })
    scope.systemAppearance = .light
    #expect(scope.theme.name == "Ember" && scope.theme[.radius] == 9)
    scope.appearancePreference = .system
    #expect(scope.theme.name == "Day" && manager.theme.name == "Day")
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
    manager.appearancePreference = .light
    #expect(scope.systemAppearance == .dark && scope.appearancePreference == .light)
  }

  @Test("When the system's appearance becomes unknown, the dark theme returns")
  func forgotten() {
    let manager = pair()
    manager.systemAppearance = .light
    manager.systemAppearance = nil
    #expect(manager.systemAppearance == nil && manager.theme.name == "Night")
  }

  @Test(
    "A reported appearance takes effect when it has lasted; one that returns at once causes no switch"
  )
  func settling() async throws {
    let clock = ManualClock()
    let manager = ThemeManager(light: day, dark: night, bus: EventBus())
    func report(_ appearance: Appearance?) {
      manager.reportSystemAppearance(appearance, settlingFor: .seconds(1), on: clock)
    }
    report(.light)
    #expect(manager.theme.name == "Day" && manager.version == 1)
    report(.dark)
    report(.light)
    await rest()
    #expect(clock.sleeperCount == 0)
    report(.dark)
    await clock.jumpAtRest(by: .milliseconds(500))
    report(.dark)
    await clock.jumpAtRest(by: .milliseconds(500))
    await rest()
    #expect(manager.theme.name == "Day" && manager.version == 1)
    await clock.jumpAtRest(by: .milliseconds(500))
    await rest()
    #expect(manager.theme.name == "Night")
    #expect(manager.version == 2 && manager.systemAppearance == .dark)
    // What is set counts at once, and ends what has not lasted.
    report(.light)
    manager.systemAppearance = nil
    await clock.jumpAtRest(by: .seconds(2))
    await rest()
    #expect(manager.theme.name == "Night" && manager.systemAppearance == nil)
  }
}
