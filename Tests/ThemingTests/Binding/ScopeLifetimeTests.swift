import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Scope lifetimes")
struct ScopeLifetimeTests {
  private let log = Log<String>()
  private let bus = EventBus()

  @Test("A scope lives as long as it is referenced, and a map references it")
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

  @Test("A scope retains its parent manager")
  func keepsParent() throws {
    var manager: ThemeManager? = makeManager(rounded(3), bus: bus)
    weak let seen = manager
    let scope = try manager?.scope { $0[.accent] = .red }
    manager = nil
    #expect(seen != nil)
    #expect(scope?.theme[.radius] == 3)
  }

  @Test("After many short-lived scopes, the living ones follow in creation order")
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

  @Test("Scopes released on other threads leave the list, while others are created and switched")
  func releasedElsewhere() async throws {
    let manager = makeManager(bus: bus)
    let kept = try manager.scope { $0[.accent] = .red }
    await withTaskGroup(of: Void.self) { group in
      for round in 0..<200 {
        var scopes: [ThemeManager] = []
        for _ in 0..<8 {
          if let scope = try? manager.scope({ $0[.font] = "scoped" }) { scopes.append(scope) }
        }
        group.addTask { [scopes] in
          await Task.yield()
          withExtendedLifetime(scopes) {}
        }
        scopes = []
        _ = try? manager.use(rounded(round))
        await Task.yield()  // Reason: others overlap.
      }
    }
    #expect(manager.scopeSlotCount <= 8)
    try manager.use(rounded(9))
    #expect(kept.theme[.radius] == 9 && kept.theme[.accent] == .red)
  }
}
