import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Scope layers")
struct ScopeLayerTests {
  @Test("A theme derived from another scope's theme keeps the layers below it")
  func foreignScope() throws {
    let other = makeManager(Theme("Other", appearance: .dark) { $0[.brand] = .red })
    let elsewhere = try other.scope { $0[.radius] = 2 }
    let guest = elsewhere.theme.deriving("Guest") { $0[.font] = "Mono" }
    let manager = makeManager()
    let made = try manager.scope { $0 = guest }
    #expect(made.theme[.brand] == .red && made.theme[.radius] == 2)
    let edited = try manager.scope { _ in }
    try edited.edit { $0 = guest }
    #expect(edited.theme[.brand] == .red && edited.theme[.font] == "Mono")
  }

  @Test(
    "A scope follows its parent manager, however often its theme was derived",
    arguments: [0, 31]
  )
  func derivedOften(depth: Int) throws {
    var base = Theme("base", appearance: .dark) { $0[.radius] = 1 }
    for number in 0..<depth { base = base.deriving("base \(number)") { _ in } }
    let manager = makeManager(base)
    let scope = try manager.scope { theme in
      for number in 0..<40 { theme = theme.deriving("\(number)") { $0[.font] = "\(number)" } }
    }
    try manager.edit { $0[.radius] = 8 }
    #expect(scope.theme[.radius] == 8 && scope.theme[.font] == "39")
    try scope.edit { $0[.accent] = .red }
    try manager.edit { $0[.radius] = 9 }
    #expect(scope.theme[.radius] == 9 && scope.theme[.accent] == .red)
    #expect(scope.theme.layerCount <= 32)
  }

  @Test("Scopes nested forty deep follow the topmost manager and use at most 32 layers")
  func nested() throws {
    let manager = makeManager(rounded(1))
    var scopes: [ThemeManager] = []
    for number in 0..<40 {
      scopes.append(try (scopes.last ?? manager).scope { $0[.font] = "\(number)" })
    }
    let last = try #require(scopes.last)
    try last.edit { theme in
      for number in 0..<40 { theme = theme.deriving("\(number)") { _ in } }
    }
    try manager.edit { $0[.radius] = 8 }
    #expect(scopes.allSatisfy { $0.theme[.radius] == 8 && $0.theme.layerCount <= 32 })
    #expect(last.theme[.font] == "39")
  }
}
