import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Scopes")
struct ScopeTests {
  private let log = Log<String>()
  private let bus = EventBus()

  @Test("A scope reads like the manager it was made from, but for its own values")
  func overrides() throws {
    let manager = makeManager(Theme("Night") { $0[.radius] = 8 }, bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    #expect(scope.theme[.accent] == .red)
    #expect(scope.theme[.radius] == 8)
    #expect(scope.theme.name == "Night")
    #expect(manager.theme[.accent] == .grey)
  }

  @Test("The closure sees the theme in use, and its name and appearance are the scope's own")
  func closure() throws {
    let manager = makeManager(Theme("Night") { $0[.radius] = 8 }, bus: bus)
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

  @Test("An alias binds in the scope: changing a key moves everything that points at it")
  func lateBinding() throws {
    let manager = makeManager(Theme("Night") { $0[alias: .accent] = .brand }, bus: bus)
    let scope = try manager.scope { $0[.brand] = .red }
    #expect(scope.theme[.accent] == .red)
    let label = Label(scope)
    label.themeMap = [.set(\.color, .accent)]
    try scope.edit { $0[.brand] = .blue }
    #expect(label.color == .blue)
    #expect(manager.theme[.accent] == .grey)
    withExtendedLifetime(scope) {}
  }

  @Test("When the manager above switches, so does the scope; its own values stay")
  func follows() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let label = Label(scope)
    label.themeMap = .full
    log.take()
    try manager.use(
      Theme("Other") {
        $0[.radius] = 9; $0[.accent] = .blue
      }
    )
    #expect(label.corner == 9)
    #expect(label.color == .red)
    #expect(scope.theme.name == "Other")
    #expect(scope.version == 1)
    withExtendedLifetime((label, scope)) {}
  }

  @Test("In order of subscription, a manager's own before its scopes, theirs before their scopes")
  func order() throws {
    let manager = makeManager(bus: bus)
    let first = try manager.scope { _ in }
    let inner = try first.scope { _ in }
    let second = try manager.scope { _ in }
    let labels = [(second, "second"), (inner, "inner"), (first, "first"), (manager, "own")]
      .map { Label($0.0, name: $0.1, log: log) }
    for label in labels { label.themeMap = [.set(\.corner, .radius)] }
    let last = Label(manager, name: "last", log: log)
    last.themeMap = [.set(\.corner, .radius)]
    log.take()
    try manager.use(rounded(7))
    #expect(
      log.entries == ["own", "last", "first", "inner", "second"].map { "\($0).corner 7" }
    )
    withExtendedLifetime((labels, last, [first, inner, second])) {}
  }

  @Test("A switch is one: every scope reads the new theme before any view is told")
  func atomic() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.font] = "Serif" }
    let label = Label(manager)
    label.themeMap = [.set(\.corner, .radius)]
    var seen: [String] = []
    label.whenTouched = { _ in
      seen.append("\(manager.theme.name) \(scope.theme.name) \(scope.theme[.radius])")
    }
    try manager.use(rounded(3))
    #expect(seen == ["rounded 3 rounded 3 3"])
    withExtendedLifetime((label, scope)) {}
  }

  @Test("A cycle that comes to be in a scope alone refuses the whole switch; nothing changes")
  func cycleInScope() throws {
    let manager = makeManager(Theme("Plain"), bus: bus)
    let scope = try manager.scope { $0[alias: .accent] = .brand }
    let labels = [Label(manager), Label(scope)]
    for label in labels { label.themeMap = .full }
    let before = labels.map(\.touched.entries)
    let error = #expect(throws: ThemeError.self) {
      try manager.use(
        Theme("Circle") {
          $0[alias: .brand] = .accent; $0[.radius] = 1
        }
      )
    }
    #expect(error?.code == .aliasCycle)
    #expect(error?.path == ["color.accent", "color.brand", "color.accent"])
    #expect(manager.theme.name == "Plain" && scope.theme.name == "Plain")
    #expect(manager.version == 0 && scope.version == 0)
    #expect(labels.map(\.touched.entries) == before)
    try manager.use(rounded(5))
    #expect(labels.map(\.corner) == [5, 5])
    withExtendedLifetime(scope) {}
  }

  @Test("A scope with a cycle is refused when it is made, and the manager goes on")
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

  @Test("Only what changed in the scope is touched there")
  func onlyChanged() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let label = Label(scope)
    label.themeMap = .full
    label.touched.take()
    try manager.use(Theme("Blue") { $0[.accent] = .blue })
    #expect(label.touched.entries.isEmpty)
    try manager.use(Theme("Round") { $0[.radius] = 1 })
    #expect(label.touched.entries == ["label.corner 1"])
    withExtendedLifetime(scope) {}
  }

  @Test("Each manager that changed is posted with itself as the sender, the upper one first")
  func posts() throws {
    let manager = makeManager(Theme("Plain"), bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let observer = bus.observe(.themeDidChange) { [log] change in
      let keys = change.changedKeys.map(\.name).sorted().joined(separator: " ")
      log.append("\(change.new.name): \(keys)")
    }
    let own = bus.observe(.themeDidChange, from: scope) { [log] _ in log.append("scope") }
    try manager.use(
      Theme("Blue") {
        $0[.accent] = .blue; $0[.radius] = 1
      }
    )
    #expect(log.entries == ["Blue: color.accent corner.radius", "Blue: corner.radius", "scope"])
    log.take()
    try manager.use(
      Theme("Red") {
        $0[.accent] = .red; $0[.radius] = 1
      }
    )
    #expect(log.entries == ["Red: color.accent"], "the scope looks as before")
    withExtendedLifetime((observer, own, scope)) {}
  }

  @Test("What is posted for a scope tells of its own themes")
  func postsItsOwn() throws {
    let manager = makeManager(Theme("Plain"), bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let observer = bus.observe(.themeDidChange, from: scope) { [log] change in
      for theme in [change.old, change.new] { log.append("\(theme[.accent]) \(theme[.radius])") }
    }
    try manager.use(rounded(7))
    #expect(log.entries == ["#ff0000 4", "#ff0000 7"])
    withExtendedLifetime((observer, scope)) {}
  }

  @Test("Nothing is posted before the views of every scope have been told")
  func postsLast() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { _ in }
    let label = Label(scope, log: log)
    label.themeMap = [.set(\.corner, .radius)]
    log.take()
    let observer = bus.observe(.themeDidChange) { [log] _ in log.append("posted") }
    try manager.use(rounded(7))
    #expect(log.entries == ["label.corner 7", "posted", "posted"])
    withExtendedLifetime((observer, label)) {}
  }

  @Test("A scope can be edited: its changes stay when the manager above switches")
  func edited() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    try scope.edit {
      $0[.radius] = 1; $0.remove(.accent)
    }
    try manager.use(
      Theme("Blue") {
        $0[.accent] = .blue; $0[.radius] = 12
      }
    )
    #expect(scope.theme[.radius] == 1)
    #expect(scope.theme[.accent] == .blue)
    #expect(manager.theme[.radius] == 12)
  }

  @Test("A scope that uses a theme wears exactly that, and its own scopes follow it")
  func pinned() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let inner = try scope.scope { $0[.font] = "Mono" }
    try scope.use(rounded(3))
    #expect(scope.theme[.accent] == .grey)
    try manager.use(
      Theme("Blue") {
        $0[.accent] = .blue; $0[.radius] = 12
      }
    )
    #expect(scope.theme[.radius] == 3 && inner.theme[.radius] == 3)
    #expect(inner.theme[.accent] == .grey && inner.theme[.font] == "Mono")
    try scope.edit { $0[.radius] = 4 }
    #expect(scope.theme[.radius] == 4 && inner.theme[.radius] == 4)
  }

  @Test("A scope of a scope reads like that one, but for its own values")
  func nested() throws {
    let manager = makeManager(rounded(8), bus: bus)
    let outer = try manager.scope { $0[.accent] = .red }
    let inner = try outer.scope { theme in
      log.append("\(theme[.accent])")
      theme[.font] = "Mono"
    }
    #expect(log.entries == ["#ff0000"])
    #expect(inner.theme[.accent] == .red && inner.theme[.radius] == 8)
    #expect(inner.theme[.font] == "Mono" && outer.theme[.font] == "Sans")
  }

  @Test("A scope of a scope knows the names that the uppermost manager knows")
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

  @Test("A manager and its scopes know the same names")
  func names() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { _ in }
    scope.register(rounded(3))
    try manager.use("rounded 3")
    #expect(manager.theme[.radius] == 3)
    manager.register(rounded(4))
    try scope.use("rounded 4")
    #expect(scope.theme[.radius] == 4)
  }

  @Test("The tree is switched in one order: what a scope's view asks for comes after the switch")
  func queued() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.font] = "Serif" }
    let label = Label(scope, log: log)
    label.themeMap = [.set(\.corner, .radius)]
    let other = Label(manager, name: "other", log: log)
    other.themeMap = [.set(\.corner, .radius)]
    log.take()
    label.whenTouched = { label in
      label.whenTouched = nil
      #expect(throws: Never.self) {
        try manager.use(rounded(2))
        try scope.edit { $0[.radius] = 6 }
        try scope.edit { $0[.font] = "Mono" }
      }
    }
    try manager.use(rounded(1))
    #expect(
      log.entries
        == [
          "other.corner 1", "label.corner 1", "other.corner 2", "label.corner 2", "label.corner 6",
        ]
    )
    #expect(scope.theme[.font] == "Mono")
    withExtendedLifetime((label, other)) {}
  }

  @Test("Twenty scopes edited by one view's setter are one round, and no loop")
  func manyWishes() throws {
    let manager = makeManager(bus: bus)
    let scopes = try (0..<20).map { _ in try manager.scope { _ in } }
    let label = Label(manager)
    label.themeMap = [.set(\.corner, .radius)]
    label.whenTouched = { _ in
      #expect(throws: Never.self) {
        for (number, scope) in scopes.enumerated() {
          try scope.edit { $0[.font] = "font \(number)" }
        }
      }
    }
    try manager.use(rounded(1))
    #expect(scopes.map { $0.theme[.font] } == (0..<20).map { "font \($0)" })
    withExtendedLifetime(label) {}
  }

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

  @Test("A scope that is made by a view's setter during a switch has the new theme")
  func bornDuringSwitch() throws {
    let manager = makeManager(bus: bus)
    let label = Label(manager)
    label.themeMap = [.set(\.corner, .radius)]
    var made: ThemeManager?
    label.whenTouched = { _ in #expect(throws: Never.self) { made = try manager.scope { _ in } } }
    try manager.use(rounded(5))
    #expect(made?.theme[.radius] == 5)
    #expect(made?.version == 0)
    withExtendedLifetime(label) {}
  }
}
