import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Incompatible themes requested during a switch")
struct RefusedRoundTests {
  private let manager = makeManager()
  private let brand = Theme("Brand", appearance: .dark) { $0[alias: .brand] = .accent }

  @Test("The request that completes a cycle throws to its caller, and the rest is applied")
  func throwsToItsAsker() throws {
    let scope = try manager.scope { _ in }
    let label = duringSwitch(of: manager) { [manager, brand] in
      try manager.use(brand)
      let error = #expect(throws: ThemeError.self) {
        try scope.edit { $0[alias: .accent] = .brand }
      }
      #expect(error?.code == .aliasCycle)
      #expect(error?.path == ["color.accent", "color.brand", "color.accent"])
    }
    try manager.use(rounded(1))
    #expect(manager.theme.name == "Brand" && manager.version == 2)
    #expect(scope.theme.name == "Brand" && scope.theme[alias: .accent] == nil)
    withExtendedLifetime(label) {}
  }

  @Test("A refused request leaves the earlier waiting one in place")
  func formerWishStays() throws {
    let scope = try manager.scope { _ in }
    let label = duringSwitch(of: manager) { [manager, brand] in
      try scope.edit { $0[alias: .accent] = .brand }
      try manager.use(rounded(5))
      #expect(throws: ThemeError.self) { try manager.use(brand) }
    }
    try manager.use(rounded(1))
    #expect(manager.theme.name == "rounded 5" && scope.theme[.radius] == 5)
    withExtendedLifetime(label) {}
  }

  @Test("A scope incompatible with the waiting theme throws to its creator")
  func bornMeanwhile() throws {
    let label = duringSwitch(of: manager) { [manager, brand] in
      try manager.use(brand)
      #expect(throws: ThemeError.self) {
        _ = try manager.scope { $0[alias: .accent] = .brand }
      }
    }
    try manager.use(rounded(1))
    #expect(manager.theme.name == "Brand")
    withExtendedLifetime(label) {}
  }

  @Test("Requests that are compatible in the end are applied, in any order")
  func anyOrder() throws {
    let scope = try manager.scope { $0[alias: .accent] = .brand }
    let label = duringSwitch(of: manager) { [manager, brand] in
      try manager.use(rounded(2))
      try scope.edit { $0[.accent] = .red }
      // Replaces the first request, which precedes the edit that makes it possible.
      try manager.use(brand)
    }
    try manager.use(rounded(1))
    #expect(manager.theme.name == "Brand" && scope.theme.name == "Brand")
    #expect(scope.theme[.accent] == .red && scope.theme[.brand] == .red)
    withExtendedLifetime(label) {}
  }

  @Test("Two themes that are compatible only with each other are applied as one")
  func onlyTogether() throws {
    // The names of the themes say which way accent and brand point at one another.
    let manager = makeManager(
      Theme("brand to accent", appearance: .dark) { $0[alias: .brand] = .accent }
    )
    let scope = try manager.scope { $0[alias: .brand] = .accent }
    let follower = Label(scope, map: [.set(\.color, .accent)])
    follower.touched.take()
    let label = duringSwitch(of: manager) {
      // Keeps its position in the queue; its replacement needs the theme below, and that needs it.
      try manager.use(Theme("free", appearance: .dark))
      try scope.edit { $0[alias: .brand] = nil }
      try manager.use(
        Theme("accent to brand", appearance: .dark) { theme in
          theme[alias: .accent] = .brand
          theme[.brand] = .red
        }
      )
      try scope.edit { $0[alias: .accent] = .brand }
    }
    try manager.edit { $0[.radius] = 1 }
    #expect(scope.theme[.accent] == .red)
    #expect(follower.touched.entries == ["label.color #ff0000"])
    withExtendedLifetime(label) {}
  }

  @Test("An edit of a scope whose earlier edit is about to be applied keeps both")
  func editsOfOneRound() throws {
    let scope = try manager.scope { _ in }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.whenTouched = { [manager] label in
      #expect(throws: Never.self) {
        if label.corner == 1 {
          try manager.use(rounded(2))
          try scope.edit { $0[.font] = "Mono" }
        } else {
          // The first edit is of this round, and not made yet.
          try scope.edit { $0[.accent] = .red }
        }
      }
    }
    try manager.use(rounded(1))
    #expect(scope.theme[.font] == "Mono" && scope.theme[.accent] == .red)
    withExtendedLifetime(label) {}
  }

  @Test("A value of a replaced request may switch in its deinit, which is a later request")
  func replacedRequestIsReleasedOutside() throws {
    let bus = EventBus()
    let manager = makeManager(bus: bus)
    let names = Log<String>()
    let scope = try manager.scope { _ in }
    let label = duringSwitch(of: manager) {
      try scope.edit { $0[.radius] = 2 }
      try manager.use(
        Theme("replaced", appearance: .dark) { theme in
          theme[.guest] = Guest {
            names.append("released")
            MainActor.assumeIsolated {
              #expect(throws: Never.self) { try manager.use(Theme("last", appearance: .dark)) }
            }
          }
        }
      )
    }
    let follower = Label(scope, map: [.set(\.corner, .radius)])
    follower.whenTouched = { follower in
      guard follower.corner == 2 else { return }
      follower.whenTouched = nil
      #expect(throws: Never.self) { try manager.use(Theme("replacing", appearance: .dark)) }
    }
    let changes = bus.observe(.themeDidChange) { change in
      if change.manager === manager { names.append(change.new.name) }
    }
    try manager.use(rounded(1))
    #expect(names.entries == ["rounded 1", "released", "last"])
    #expect(manager.theme.name == "last" && scope.theme.name == "last")
    withExtendedLifetime((label, changes)) {}
  }

  @Test("A scope edited endlessly is refused with its theme's name")
  func loopOfEdits() throws {
    let scope = try manager.scope { $0.name = "Paper" }
    let label = Label(scope, map: [.set(\.corner, .radius)])
    label.whenTouched = { label in
      do {
        try scope.edit { $0[.radius] = label.corner + 1 }
      } catch {
        #expect(label.corner == 16)
      }
    }
    let error = #expect(throws: ThemeError.self) { try scope.edit { $0[.radius] = 1 } }
    #expect(error?.code == .switchLoop)
    #expect(error?.themes == Array(repeating: "Paper", count: 17))
    #expect(label.corner == 16)
  }
}
