import Testing
import Theming

private let brand = ThemeKey<RGBA>("explain.brand", default: .blue)
private let accent = ThemeKey<RGBA>("explain.accent", default: .gray)
private let note = ThemeKey<String?>("explain.note", default: nil)

@Suite("Explaining a key")
struct ExplainTests {
  private struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lines: String
    let steps: [String?]
    let theme: Theme
  }

  private static let base = Theme("Night", appearance: .dark) {
    $0[alias: accent] = brand
    $0[brand] = .gray
  }

  private static let cases = [
    Case(
      testDescription: "the default",
      lines: "explain.accent = #808080 (default)",
      steps: [nil],
      theme: Theme("t", appearance: .dark)
    ),
    Case(
      testDescription: "its own value",
      lines: "explain.accent = #ff0000 (t)",
      steps: ["t"],
      theme: Theme("t", appearance: .dark) { $0[accent] = .red }
    ),
    Case(
      testDescription: "a value of the base",
      lines: "explain.accent = #ff0000 (t)",
      steps: ["t"],
      theme: Theme("t", appearance: .dark) { $0[accent] = .red }.deriving("u") { $0[.radius] = 2 }
    ),
    Case(
      testDescription: "an alias and its value",
      lines: "explain.accent → explain.brand (Night)\nexplain.brand = #808080 (Night)",
      steps: ["Night", "Night"],
      theme: base
    ),
    Case(
      testDescription: "an alias of the base, a value laid over its target",
      lines: "explain.accent → explain.brand (Night)\nexplain.brand = #ff0000 (Ember)",
      steps: ["Night", "Ember"],
      theme: base.deriving("Ember") { $0[brand] = .red }
    ),
    Case(
      testDescription: "an alias of a default",
      lines: "explain.accent → explain.brand (t)\nexplain.brand = #0000ff (default)",
      steps: ["t", nil],
      theme: Theme("t", appearance: .dark) { $0[alias: accent] = brand }
    ),
    Case(
      testDescription: "a cycle",
      lines: """
        explain.accent → explain.brand (Night)
        explain.brand → explain.accent (d)
        explain.accent again: the aliases form a cycle; #808080 is the default
        """,
      steps: ["Night", "d", nil],
      theme: base.deriving("d") { $0[alias: brand] = accent }
    ),
    Case(
      testDescription: "a key that leads into a cycle",
      lines: """
        explain.accent → explain.brand (Night)
        explain.brand → explain.brand (d)
        explain.brand again: the aliases form a cycle; #808080 is the default
        """,
      steps: ["Night", "d", nil],
      theme: base.deriving("d") { $0[alias: brand] = brand }
    ),
    Case(
      testDescription: "a renamed theme",
      lines: "explain.accent = #ff0000 (new)",
      steps: ["new"],
      theme: {
        var theme = Theme("old", appearance: .dark) { $0[accent] = .red }
        theme.name = "new"
        return theme
      }()
    ),
  ]

  @Test("An explanation lists every step and its source", arguments: cases)
  private func tells(_ given: Case) {
    let trace = given.theme.explain(accent)
    #expect(trace.description == given.lines)
    #expect(trace.steps.map(\.theme) == given.steps)
    #expect(trace.steps.first?.key == accent.name)
  }

  @Test("The last step is the value that reading the key returns", arguments: cases)
  private func agrees(_ given: Case) {
    let last = given.theme.explain(accent).steps.last
    let found: String? =
      switch last?.finding {
      case .value(let value), .cycle(default: let value): value
      case .alias, nil: nil
      }
    #expect(found == given.theme[accent].description)
  }

  @Test("A nil value appears in the explanation")
  func nilValue() {
    let theme = Theme("t", appearance: .dark) { $0[note] = "seen" }.deriving("d") { $0[note] = nil }
    #expect(theme.explain(note).description == "explain.note = nil (d)")
  }

  @Test(
    "A step is one line, even if its value, its theme or its key contains line breaks",
    arguments: ["two\nlines", "two\r\nlines", "two\u{2028}lines", "two\u{1b}[2Jlines", "tab\t"]
  )
  func oneLine(_ text: String) {
    let key = ThemeKey<String>("explain.\(text)", default: "")
    let theme = Theme("\(text) theme", appearance: .dark) { $0[key] = text }
    let lines = theme.explain(key).description
    #expect(lines.split(whereSeparator: \.isNewline).count == 1)
    #expect(lines.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(theme.explain(key).steps.first?.finding == .value(text))
  }
}
