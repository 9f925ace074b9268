import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Scopes")
struct ScopeTests {
  private let log = Log<String>()
  private let bus = EventBus()

  @Test("A scope reads like its parent manager except for its own values")
  func overrides() throws {
    let manager = makeManager(Theme("Night", appearance: .dark) { $0[.radius] = 8 }, bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    #expect(scope.theme[.accent] == .red)
    #expect(scope.theme[.radius] == 8)
    #expect(scope.theme.name == "Night")
    #expect(manager.theme[.accent] == .gray)
  }

  @Test("The closure sees the theme in use, and its name and appearance are the scope's own")
  func closure() throws {
    let manager = makeManager(Theme("Night", appearance: .dark) { $0[.radius] = 8 }, bus: bus)
    let scope = try manager.scope { theme in
      log.append("\(theme.name) \(theme[.radius])")
      theme.name = "Paper"
      theme.appearance = .light
    }
    #expect(log.entries == ["Night 8"])
    try manager.use(rounded(2))
    #expect(scope.theme.name == "Paper")
    #expect(scope.theme.appearance == .light)
    #expect(scope.theme[.radius] == 2)
  }

  @Test("A name and appearance set by a scope are its own, even if equal at that moment")
  func ownThoughEqual() throws {
    let manager = makeManager(Theme("Night", appearance: .dark), bus: bus)
    let made = try manager.scope { theme in
      theme.name = "Night"
      theme.appearance = .dark
    }
    let edited = try manager.scope { _ in }
    try edited.edit { theme in
      theme.name = "Night"
      theme.appearance = .dark
    }
    let plain = try manager.scope { _ in }
    try manager.use(Theme("Day", appearance: .light))
    for scope in [made, edited] {
      #expect(scope.theme.name == "Night" && scope.theme.appearance == .dark)
    }
    #expect(plain.theme.name == "Day" && plain.theme.appearance == .light)
    try made.edit { $0[.radius] = 1 }
    #expect(made.theme.name == "Night" && made.theme.appearance == .dark)
  }

  @Test("A whole theme assigned in a scope's closure is the scope's own, including its base")
  func assigned() throws {
    let manager = makeManager(Theme("Day", appearance: .light) { $0[.font] = "Serif" }, bus: bus)
    let night = Theme("Night", appearance: .dark) { $0[.radius] = 8 }
    let ember = night.deriving("Ember") { $0[.accent] = .red }
    let scope = try manager.scope { $0 = ember }
    try manager.use(rounded(1))
    #expect(scope.theme.name == "Ember" && scope.theme.appearance == .dark)
    #expect(scope.theme[.accent] == .red && scope.theme[.radius] == 8)
  }

  @Test("An alias binds in the scope: overriding a key changes every alias of it")
  func lateBinding() throws {
    let manager = makeManager(
      Theme("Night", appearance: .dark) { $0[alias: .accent] = .brand },
      bus: bus
    )
    let scope = try manager.scope { $0[.brand] = .red }
    #expect(scope.theme[.accent] == .red)
    let label = Label(scope, map: [.set(\.color, .accent)])
    try scope.edit { $0[.brand] = .blue }
    #expect(label.color == .blue)
    #expect(manager.theme[.accent] == .gray)
    withExtendedLifetime(scope) {}
  }

  @Test("A scope with a cycle is refused when it is created, and the manager stays usable")
  func cycleAtBirth() throws {
    let manager = makeManager(bus: bus)
    let error = #expect(throws: ThemeError.self) {
      _ = try manager.scope {
        $0[alias: .accent] = .brand; $0[alias: .brand] = .accent
      }
    }
    #expect(error?.code == .aliasCycle)
    try manager.use(rounded(5))
    #expect(manager.version == 1)
  }

  @Test("A scope can be edited, and its changes stay when the parent manager switches")
  func edited() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    try scope.edit {
      $0[.radius] = 1; $0.remove(.accent)
    }
    try manager.use(
      Theme("Blue", appearance: .dark) {
        $0[.accent] = .blue; $0[.radius] = 12
      }
    )
    #expect(scope.theme[.radius] == 1)
    #expect(scope.theme[.accent] == .blue)
    #expect(manager.theme[.radius] == 12)
  }

  @Test("A scope that uses a theme has exactly that one, and its own scopes follow it")
  func pinned() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let inner = try scope.scope { $0[.font] = "Mono" }
    try scope.use(rounded(3))
    #expect(scope.theme[.accent] == .gray)
    try manager.use(
      Theme("Blue", appearance: .dark) {
        $0[.accent] = .blue; $0[.radius] = 12
      }
    )
    #expect(scope.theme[.radius] == 3 && inner.theme[.radius] == 3)
    #expect(inner.theme[.accent] == .gray && inner.theme[.font] == "Mono")
    try scope.edit { $0[.radius] = 4 }
    #expect(scope.theme[.radius] == 4 && inner.theme[.radius] == 4)
  }

  @Test("A scope of a scope finds the names registered with the root manager")
  func namesInDepth() throws {
    let manager = makeManager(bus: bus)
    let inner = try manager.scope { _ in }.scope { _ in }
    inner.register(rounded(3))
    try manager.use("rounded 3")
    #expect(inner.theme[.radius] == 3)
    manager.register(rounded(4))
    try inner.use("rounded 4")
    #expect(inner.theme[.radius] == 4)
  }
}
