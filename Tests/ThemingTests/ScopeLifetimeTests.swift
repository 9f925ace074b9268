import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("How long scopes last")
struct ScopeLifetimeTests {
  private let log = Log<String>()
  private let bus = EventBus()

  @Test("A scope lasts as long as somebody refers to it; a map does")
  func lifetime() throws {
    let manager = makeManager(bus: bus)
    var scope: ThemeManager? = try manager.scope { $0[.accent] = .red }
    let label = Label(manager)
    weak let seen = scope
    if let scope { label.themeMap = ThemeMap.full.scoped(scope) }
    scope = nil
    #expect(seen != nil)
    #expect(label.color == .red)
    try manager.use(rounded(9))
    #expect(label.corner == 9)
    label.themeMap = nil
    #expect(seen == nil)
    try manager.use(rounded(10))
    #expect(label.corner == 9)
  }

  @Test("A scope keeps the manager above it")
  func keepsParent() throws {
    var manager: ThemeManager? = makeManager(rounded(3), bus: bus)
    weak let seen = manager
    let scope = try manager?.scope { $0[.accent] = .red }
    manager = nil
    #expect(seen != nil)
    #expect(scope?.theme[.radius] == 3)
  }

  @Test("Scopes that come and go leave a bounded number of places")
  func bounded() throws {
    let manager = makeManager(bus: bus)
    let kept = try (0..<10).map { _ in try manager.scope { _ in } }
    for _ in 0..<1_000 { _ = try manager.scope { _ in } }
    #expect(manager.scopePlaceCount <= 24)
    #expect(kept.count == 10)
  }

  @Test("However many scopes came and went, those that live follow, in the order of their making")
  func bystanders() throws {
    let manager = makeManager(bus: bus)
    var scopes: [ThemeManager] = []
    for _ in 0..<10 {
      scopes.append(try manager.scope { _ in })
      for _ in 0..<100 { _ = try manager.scope { _ in } }
    }
    let labels = scopes.enumerated().map { Label($1, name: "\($0)", log: log) }
    for label in labels { label.themeMap = [.set(\.corner, .radius)] }
    log.take()
    try manager.use(rounded(7))
    #expect(log.entries == (0..<10).map { "\($0).corner 7" })
    withExtendedLifetime(labels) {}
  }
}
