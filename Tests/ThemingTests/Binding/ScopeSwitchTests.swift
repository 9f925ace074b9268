import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Switches with scopes")
struct ScopeSwitchTests {
  private let log = Log<String>()
  private let bus = EventBus()

  @Test("Views update in registration order: a manager's own, then its scopes', recursively")
  func order() throws {
    let manager = makeManager(bus: bus)
    let first = try manager.scope { _ in }
    let inner = try first.scope { _ in }
    let second = try manager.scope { _ in }
    let labels = [(second, "second"), (inner, "inner"), (first, "first"), (manager, "own")]
      .map { Label($0.0, name: $0.1, log: log) }
    for label in labels { label.themeMap = [.set(\.corner, .radius)] }
    let last = Label(manager, name: "last", log: log, map: [.set(\.corner, .radius)])
    log.take()
    try manager.use(rounded(7))
    #expect(
      log.entries == ["own", "last", "first", "inner", "second"].map { "\($0).corner 7" }
    )
    withExtendedLifetime((labels, last, [first, inner, second])) {}
  }

  @Test("A switch is atomic: every scope reads the new theme before any view is updated")
  func atomic() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.font] = "Serif" }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    var seen: [String] = []
    label.whenTouched = { _ in
      seen.append("\(manager.theme.name) \(scope.theme.name) \(scope.theme[.radius])")
    }
    try manager.use(rounded(3))
    #expect(seen == ["rounded 3 rounded 3 3"])
    withExtendedLifetime((label, scope)) {}
  }

  @Test("A cycle that arises in a single scope refuses the whole switch, and nothing changes")
  func cycleInScope() throws {
    let manager = makeManager(Theme("Plain", appearance: .dark), bus: bus)
    let scope = try manager.scope { $0[alias: .accent] = .brand }
    let labels = [Label(manager), Label(scope)]
    for label in labels { label.themeMap = .full }
    let before = labels.map(\.touched.entries)
    let error = #expect(throws: ThemeError.self) {
      try manager.use(
        Theme("Circle", appearance: .dark) {
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

  @Test("Only views whose keys changed in the scope are updated")
  func onlyChanged() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let label = Label(scope, map: .full)
    label.touched.take()
    try manager.use(Theme("Blue", appearance: .dark) { $0[.accent] = .blue })
    #expect(label.touched.entries.isEmpty)
    try manager.use(Theme("Round", appearance: .dark) { $0[.radius] = 1 })
    #expect(label.touched.entries == ["label.corner 1"])
    withExtendedLifetime(scope) {}
  }

  @Test("Each changed manager posts with itself as the sender, parents first")
  func posts() throws {
    let manager = makeManager(Theme("Plain", appearance: .dark), bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let observer = bus.observe(.themeDidChange) { [log] change in
      let keys = change.changedKeys.map(\.name).sorted().joined(separator: " ")
      log.append("\(change.new.name): \(keys)")
    }
    let own = bus.observe(.themeDidChange, from: scope) { [log] _ in log.append("scope") }
    try manager.use(
      Theme("Blue", appearance: .dark) {
        $0[.accent] = .blue; $0[.radius] = 1
      }
    )
    #expect(log.entries == ["Blue: color.accent corner.radius", "Blue: corner.radius", "scope"])
    log.take()
    try manager.use(
      Theme("Red", appearance: .dark) {
        $0[.accent] = .red; $0[.radius] = 1
      }
    )
    #expect(log.entries == ["Red: color.accent"], "the scope looks as before")
    withExtendedLifetime((observer, own, scope)) {}
  }

  @Test("A scope's event holds the scope's own themes")
  func postsItsOwn() throws {
    let manager = makeManager(Theme("Plain", appearance: .dark), bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    let observer = bus.observe(.themeDidChange, from: scope) { [log] change in
      for theme in [change.old, change.new] { log.append("\(theme[.accent]) \(theme[.radius])") }
    }
    try manager.use(rounded(7))
    #expect(log.entries == ["#ff0000 4", "#ff0000 7"])
    withExtendedLifetime((observer, scope)) {}
  }

  @Test("No event is posted before the views of every scope are updated")
  func postsLast() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { _ in }
    let label = Label(scope, log: log, map: [.set(\.corner, .radius)])
    log.take()
    let observer = bus.observe(.themeDidChange) { [log] _ in log.append("posted") }
    try manager.use(rounded(7))
    #expect(log.entries == ["label.corner 7", "posted", "posted"])
    withExtendedLifetime((observer, label)) {}
  }

  @Test("The tree switches in one order: a request by a scope's view is applied afterwards")
  func queued() throws {
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.font] = "Serif" }
    let label = Label(scope, log: log, map: [.set(\.corner, .radius)])
    let other = Label(manager, name: "other", log: log, map: [.set(\.corner, .radius)])
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

  @Test("Twenty scopes edited by one view's setter are not a loop")
  func manyWishes() throws {
    let manager = makeManager(bus: bus)
    let scopes = try (0..<20).map { _ in try manager.scope { _ in } }
    let label = Label(manager, map: [.set(\.corner, .radius)])
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

  @Test(
    "Whatever is requested, managers switch in the order of their first pending requests, each to its last one"
  )
  func anyRequests() throws {
    let random = Shared(SampleNumbers(seed: 4))
    for _ in 0..<size(100, full: 1_000) {
      let bus = EventBus()
      let manager = makeManager(bus: bus)
      let scopes = try (0..<4).map { _ in try manager.scope { _ in } }
      let pending = Shared<[(scope: Int, name: String)]>([])
      let left = Shared(15)
      let observer = bus.observe(.themeDidChange) { change in
        if let scope = scopes.firstIndex(where: { $0 === change.manager }) {
          let next = pending.value.isEmpty ? nil : pending.value.removeFirst()
          #expect(next?.scope == scope && next?.name == change.new.name)
        }
        while left.value > 0, pending.value.isEmpty || random.value.next(below: 3) > 0 {
          let (scope, name) = (random.value.next(below: scopes.count), "theme \(left.value)")
          left.value -= 1
          try scopes[scope].use(Theme(name, appearance: .dark))
          if let place = pending.value.firstIndex(where: { $0.scope == scope }) {
            pending.value[place].name = name
          } else {
            pending.value.append((scope, name))
          }
        }
      }
      try manager.edit { _ in }
      #expect(pending.value.isEmpty && left.value == 0)
      withExtendedLifetime(observer) {}
    }
  }

  @Test("A scope created by a view's setter during a switch has the new theme")
  func bornDuringSwitch() throws {
    let manager = makeManager(bus: bus)
    let label = Label(manager, map: [.set(\.corner, .radius)])
    var made: ThemeManager?
    label.whenTouched = { _ in #expect(throws: Never.self) { made = try manager.scope { _ in } } }
    try manager.use(rounded(5))
    #expect(made?.theme[.radius] == 5)
    #expect(made?.version == 0)
    withExtendedLifetime(label) {}
  }
}

/// A variable that closures on the main actor share.
@MainActor
private final class Shared<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}
