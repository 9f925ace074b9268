import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Themes asked for during a switch that do not go together")
struct RefusedRoundTests {
  private let manager = makeManager()

  @Test("Whoever began is told: the later one is refused, the earlier one used")
  func told() throws {
    let scope = try manager.scope { _ in }
    let label = duringSwitch { [manager] in
      try manager.use(Theme("Brand") { $0[alias: .brand] = .accent })
      try scope.edit { $0[alias: .accent] = .brand }
    }
    let error = #expect(throws: ThemeError.self) { try manager.use(rounded(1)) }
    #expect(error?.code == .aliasCycle)
    #expect(manager.theme.name == "Brand" && manager.version == 2)
    #expect(scope.theme.name == "Brand" && scope.theme[alias: .accent] == nil)
    withExtendedLifetime(label) {}
  }

  @Test("What was asked for after the refused one is done all the same")
  func goesOn() throws {
    let (scope, other) = (try manager.scope { _ in }, try manager.scope { _ in })
    let label = duringSwitch { [manager] in
      try manager.use(Theme("Brand") { $0[alias: .brand] = .accent })
      try scope.edit { $0[alias: .accent] = .brand }
      try other.edit { $0[.font] = "Mono" }
    }
    #expect(throws: ThemeError.self) { try manager.use(rounded(1)) }
    #expect(other.theme[.font] == "Mono")
    withExtendedLifetime((label, scope)) {}
  }

  @Test("Of several that are refused, the first is told")
  func first() throws {
    let scopes = try (0..<2).map { number in
      try manager.scope { $0.name = "scope \(number)" }
    }
    let label = duringSwitch { [manager] in
      try manager.use(Theme("Brand") { $0[alias: .brand] = .accent })
      for scope in scopes { try scope.edit { $0[alias: .accent] = .brand } }
    }
    let error = #expect(throws: ThemeError.self) { try manager.use(rounded(1)) }
    #expect(error?.themes == ["scope 0"])
    withExtendedLifetime(label) {}
  }

  @Test("Afterwards the manager and its scopes switch as before")
  func usable() throws {
    let scope = try manager.scope { _ in }
    let label = duringSwitch { [manager] in
      try manager.use(Theme("Brand") { $0[alias: .brand] = .accent })
      try scope.edit { $0[alias: .accent] = .brand }
    }
    #expect(throws: ThemeError.self) { try manager.use(rounded(1)) }
    try manager.use(rounded(2))
    #expect(label.corner == 2 && scope.theme[.radius] == 2)
    try scope.edit { $0[.radius] = 3 }
    #expect(scope.theme[.radius] == 3)
  }

  @Test("A scope that is edited without end is refused by the name of its theme")
  func loopOfEdits() throws {
    let scope = try manager.scope { $0.name = "Paper" }
    let label = Label(scope)
    label.themeMap = [.set(\.corner, .radius)]
    label.whenTouched = { label in
      #expect(throws: Never.self) { try scope.edit { $0[.radius] = label.corner + 1 } }
    }
    let error = #expect(throws: ThemeError.self) { try scope.edit { $0[.radius] = 1 } }
    #expect(error?.code == .switchLoop)
    #expect(error?.themes == Array(repeating: "Paper", count: 17))
    #expect(label.corner == 16)
  }

  /// A view that does something the first time it is given a corner by a switch.
  private func duringSwitch(_ body: @escaping () throws -> Void) -> Label {
    let label = Label(manager)
    label.themeMap = [.set(\.corner, .radius)]
    label.whenTouched = { label in
      label.whenTouched = nil
      #expect(throws: Never.self) { try body() }
    }
    return label
  }
}
