import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Edited scopes")
struct EditedScopeTests {
  @Test("A name set by an edit is the scope's own from then on")
  func renamed() throws {
    let manager = makeManager(Theme("Night", appearance: .dark))
    let scope = try manager.scope { _ in }
    try scope.edit { $0.name = "Paper" }
    try manager.use(rounded(2))
    #expect(scope.theme.name == "Paper" && scope.theme[.radius] == 2)
  }

  @Test("During a switch, a scope that uses a theme and is then edited has that theme, edited")
  func pinnedDuringSwitch() throws {
    let manager = makeManager(Theme("Blue", appearance: .dark) { $0[.accent] = .blue })
    let scope = try manager.scope { _ in }
    let label = duringSwitch(of: manager) {
      try scope.use(rounded(3))
      try scope.edit { $0[.font] = "Mono" }
    }
    try manager.use(Theme("Red", appearance: .dark) { $0[.accent] = .red })
    #expect(scope.theme[.accent] == .gray)
    try manager.use(rounded(7))
    #expect(scope.theme[.radius] == 3 && scope.theme[.font] == "Mono")
    withExtendedLifetime(label) {}
  }

  @Test("A scope edited during a switch continues to follow the parent manager")
  func followsAfterSwitch() throws {
    let manager = makeManager()
    let scope = try manager.scope { _ in }
    let label = duringSwitch(of: manager) { try scope.edit { $0[.font] = "Mono" } }
    try manager.use(Theme("Red", appearance: .dark) { $0[.accent] = .red })
    #expect(scope.theme[.font] == "Mono")
    try manager.use(rounded(7))
    #expect(scope.theme[.radius] == 7 && scope.theme[.font] == "Mono")
    withExtendedLifetime(label) {}
  }

  @Test("A refused edit has no effect on later switches")
  func refused() throws {
    let manager = makeManager(Theme("Brand", appearance: .dark) { $0[alias: .brand] = .accent })
    let scope = try manager.scope { $0[.font] = "Mono" }
    #expect(throws: ThemeError.self) {
      try scope.edit { theme in
        theme[.font] = "Serif"
        theme[alias: .accent] = .brand
      }
    }
    try manager.use(rounded(2))
    #expect(scope.theme[.font] == "Mono" && scope.theme[alias: .accent] == nil)
  }

  @Test("An edit's closure runs once, even during a switch")
  func once() throws {
    let manager = makeManager()
    let scope = try manager.scope { _ in }
    let calls = Counter()
    let label = duringSwitch(of: manager) { try scope.edit { _ in calls.add() } }
    try manager.edit { theme in
      calls.add()
      theme[.accent] = .red
    }
    #expect(calls.value == 2)
    withExtendedLifetime(label) {}
  }

  @Test("A scope's values can be distinguished from those of the theme below")
  func explained() throws {
    let manager = makeManager(Theme("Night", appearance: .dark) { $0[.radius] = 8 })
    let scope = try manager.scope { $0[.accent] = .red }
    #expect(scope.theme.explain(.accent).steps.map(\.theme) == ["Night, scoped"])
    #expect(scope.theme.explain(.radius).steps.map(\.theme) == ["Night"])
    try scope.edit { $0.name = "Paper" }
    #expect(scope.theme.explain(.accent).steps.map(\.theme) == ["Paper"])
  }
}
