import Testing
import Theming

@Suite("Lines of theme errors")
struct ThemeErrorLineTests {
  private static let name = "two\nlines\u{2028}\u{1b}[2J"

  /// Expects an error whose description is one line that names the theme or key with escapes.
  private func expectOneLine(_ code: ThemeError.Code, _ error: ThemeError?) {
    #expect(error?.code == code)
    let text = error.map(\.description) ?? ""
    #expect(text.contains(#"two\nlines"#))
    let breaks: Set<Unicode.GeneralCategory> = [.control, .lineSeparator]
    #expect(text.unicodeScalars.allSatisfy { !breaks.contains($0.properties.generalCategory) })
  }

  @Test("A cycle of aliases is described in one line, whatever the names of its keys contain")
  func aliasCycle() {
    let key = ThemeKey<Int>(Self.name, default: 0)
    let theme = Theme("t", appearance: .dark) { $0[alias: key] = key }
    expectOneLine(.aliasCycle, #expect(throws: ThemeError.self) { try theme.checked() })
  }

  @Test("A cycle of bases is described in one line, whatever the names of its themes contain")
  func baseCycle() throws {
    let document = try NodeDecoder.decode(
      AppThemeDocument.self,
      from: ["name": .text(Self.name), "extends": .text(Self.name)]
    )
    let issue = AppThemeDocument.load(["a"]) { _ in document }.issues.first
    guard case .refused(let error)? = issue?.problem else {
      Issue.record("The document has to be refused.")
      return
    }
    expectOneLine(.baseCycle, error)
  }

  @Test("A suggested name is described in one line, whatever it contains")
  @MainActor
  func suggestion() {
    let manager = makeManager()
    manager.register(Theme(Self.name, appearance: .dark))
    let error = #expect(throws: ThemeError.self) { try manager.use(Self.name + "x") }
    #expect(error?.suggestion == Self.name)
    expectOneLine(.unknownTheme, error)
  }

  @Test("A loop of switches is described in one line, whatever the names of its themes contain")
  @MainActor
  func switchLoop() {
    let manager = makeManager()
    let label = Label(manager, map: .full)
    label.whenTouched = { label in
      try? manager.use(Theme(Self.name, appearance: .dark) { $0[.radius] = label.corner + 1 })
    }
    let error = #expect(throws: ThemeError.self) { try manager.use(rounded(9)) }
    expectOneLine(.switchLoop, error)
  }
}
