import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Named themes and edits")
struct NamedThemeTests {
  @Test("A registered theme is used by its name; the first theme is registered")
  func names() throws {
    let manager = makeManager(Theme("first", appearance: .dark) { $0[.radius] = 1 })
    manager.register(rounded(2), rounded(3))
    try manager.use("rounded 3")
    #expect(manager.theme[.radius] == 3)
    try manager.use("first")
    #expect(manager.theme[.radius] == 1)
  }

  @Test("Registering again replaces the theme and leaves the one in use unchanged")
  func replaced() throws {
    let manager = makeManager(Theme("app", appearance: .dark) { $0[.radius] = 1 })
    manager.register(Theme("app", appearance: .dark) { $0[.radius] = 2 })
    #expect(manager.theme[.radius] == 1 && manager.version == 0)
    try manager.use("app")
    #expect(manager.theme[.radius] == 2)
  }

  @Test("An unknown name is refused with the nearest one, and nothing changes")
  func unknown() {
    let manager = makeManager()
    manager.register(Theme("Night", appearance: .dark), Theme("Day", appearance: .dark))
    let error = #expect(throws: ThemeError.self) { try manager.use("Nihgt") }
    #expect(error?.code == .unknownTheme)
    #expect(error?.suggestion == "Night")
    #expect(error.map { "\($0)" } == "No theme is registered as \"Nihgt\". Did you mean \"Night\"?")
    #expect(manager.version == 0)
    let other = #expect(throws: ThemeError.self) { try manager.use("Watermelon") }
    #expect(
      other.map { "\($0)" }
        == "No theme is registered as \"Watermelon\". Call register(_:) with it first."
    )
  }

  @Test("An edit changes any number of keys in one switch")
  func edit() throws {
    let bus = EventBus()
    let manager = makeManager(rounded(1), bus: bus)
    let log = Log<String>()
    let token = bus.observe(.themeDidChange) { change in
      log.append(change.changedKeys.map(\.name).sorted().joined(separator: " "))
    }
    let label = Label(manager, map: .full)
    label.touched.take()
    try manager.edit {
      $0[.accent] = .red
      $0[.radius] = 2
      $0[.radius] = 3
    }
    #expect(label.touched.entries == ["label.color #ff0000", "label.corner 3"])
    #expect(log.entries == ["color.accent corner.radius"])
    #expect(manager.version == 1 && manager.theme.name == "rounded 1")
    token.cancel()
  }

  @Test("A registered theme is not changed by an edit of the one in use")
  func editKeepsRegistered() throws {
    let manager = makeManager(rounded(1))
    try manager.edit { $0[.radius] = 2 }
    try manager.use("rounded 1")
    #expect(manager.theme[.radius] == 1)
  }

  @Test("An edit that creates a cycle is refused with its keys, and changes nothing")
  func cycle() throws {
    let manager = makeManager(rounded(1))
    let label = Label(manager, map: .full)
    label.touched.take()
    let error = #expect(throws: ThemeError.self) {
      try manager.edit {
        $0[.radius] = 2
        $0[alias: .accent] = .brand
        $0[alias: .brand] = .accent
      }
    }
    #expect(error?.path == ["color.accent", "color.brand", "color.accent"])
    #expect(label.touched.entries.isEmpty)
    #expect(manager.theme[.radius] == 1 && manager.version == 0)
    #expect(manager.theme[alias: .accent] == nil)
  }

  @Test("A cyclic theme used during a switch is refused to its caller")
  func cycleDuringSwitch() throws {
    let manager = makeManager()
    let label = Label(manager, map: [.set(\.corner, .radius)])
    var refused: ThemeError?
    label.whenTouched = { _ in
      do throws(ThemeError) {
        try manager.use(Theme("Circle", appearance: .dark) { $0[alias: .accent] = .accent })
      } catch {
        refused = error
      }
    }
    try manager.use(rounded(1))
    #expect(refused?.path == ["color.accent", "color.accent"])
    #expect(manager.theme.name == "rounded 1")
    withExtendedLifetime(label) {}
  }

  @Test("Edits made during a switch accumulate on the theme that waits")
  func editsDuringSwitch() throws {
    let manager = makeManager()
    let label = duringSwitch(of: manager) {
      try manager.edit { $0[.accent] = .red }
      try manager.edit { $0[.font] = "Mono" }
    }
    try manager.use(rounded(1))
    #expect(manager.theme[.accent] == .red && manager.theme[.font] == "Mono")
    #expect(manager.theme[.radius] == 1 && manager.version == 2)
    withExtendedLifetime(label) {}
  }

  @Test("A released value may use the manager: its deinit switches the theme")
  func valueWithDeinit() throws {
    let manager = makeManager()
    let calls = Log<String>()
    func theme(_ name: String) -> Theme {
      Theme(name, appearance: .dark) { theme in
        theme[.guest] = Guest {
          calls.append(name)
          MainActor.assumeIsolated {
            manager.register(Theme("app", appearance: .dark))
            #expect(throws: Never.self) { try manager.use("app") }
          }
        }
      }
    }
    manager.register(theme("registered"))
    manager.register(Theme("registered", appearance: .dark))
    #expect(calls.entries == ["registered"])

    let label = duringSwitch(of: manager) {
      try manager.use(theme("noted"))
      try manager.use(Theme("noted last", appearance: .dark))
    }
    try manager.use(rounded(1))
    #expect(calls.entries == ["registered", "noted"])
    #expect(manager.theme.name == "app")

    try manager.use(theme("used"))
    try manager.use(rounded(2))
    #expect(calls.entries == ["registered", "noted", "used"])
    #expect(manager.theme.name == "app")
    withExtendedLifetime(label) {}
  }

  @Test("A sequence of themes is registered, as those of a dictionary")
  func sequence() throws {
    let manager = ThemeManager(Theme("first", appearance: .dark), bus: EventBus())
    let themes = ["a", "b"].map { Theme($0, appearance: .light) }
    manager.register(Dictionary(uniqueKeysWithValues: themes.map { ($0.name, $0) }).values)
    for theme in themes {
      try manager.use(theme.name)
      #expect(manager.theme == theme)
    }
  }
}
