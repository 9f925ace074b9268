import TestSupport
import Testing
import Theming

private let contested: [(values: Node, color: RGBA)] = [
  (["color.text.primary": "#f00", "color.text": ["primary": "#00f"]], .red),
  (["color": ["text.primary": "#00f"], "color.text.primary": "#f00"], .red),
  (["color": ["text": ["primary": "#f00"], "text.primary": "#00f"]], .blue),
  // As many levels: the first path in the alphabet.
  (["color.text": ["primary": "#f00"], "color": ["text.primary": "#00f"]], .blue),
  // An ignored value is not even read.
  (
    ["color.text.primary": "#f00", "color": ["text": ["primary": 5], "text.primary": nil]], .red
  ),
]

@Suite("Reading documents")
struct ReadDocumentTests {
  @Test("A document gives its name, its appearance, its base, and the values of the keys")
  func form() throws {
    let document = try parse(
      """
      {
        "name": "Fog", "appearance": "light", "extends": "Day",
        "values": {"color": {"accent": "#ff0000"}, "corner.radius": 6}
      }
      """
    )
    #expect(document.name == "Fog")
    #expect(document.appearance == .light)
    #expect(document.extends == "Day")
    #expect(document.issues.isEmpty)
    let theme = try document.theme(extending: Theme("Day", appearance: .dark))
    #expect(theme.name == "Fog")
    #expect(theme.appearance == .light)
    #expect(theme[.accent] == .red)
    #expect(theme[.radius] == 6)
  }

  @Test(
    "Groups may be nested, dotted or mixed",
    arguments: [
      ##"{"color": {"text": {"primary": "#f00"}}}"##, ##"{"color.text.primary": "#f00"}"##,
      ##"{"color": {"text.primary": "#f00"}}"##, ##"{"color.text": {"primary": "#f00"}}"##,
    ]
  )
  func flattens(_ values: String) throws {
    let document = try parse(values: values)
    #expect(document.issues.isEmpty)
    #expect(try document.theme()[AppTheme.text] == .red)
  }

  @Test("Values of any Codable type are read")
  func kinds() throws {
    let theme = try parse(
      values: """
        {
          "scale": 1.5, "font": {"bold": true, "weights": [400, 700]}, "title": "a {b} c",
          "subtitle": "here", "style": "raised", "border": {"width": 3, "color": "#00f"}
        }
        """
    ).theme(strict: true)
    #expect(theme[AppTheme.scale] == 1.5)
    #expect(theme[AppTheme.bold])
    #expect(theme[AppTheme.weights] == [400, 700])
    #expect(theme[AppTheme.title] == "a {b} c")
    #expect(theme[AppTheme.subtitle] == "here")
    #expect(theme[AppTheme.style] == .raised)
    #expect(theme[AppTheme.border] == Border(width: 3, color: .blue))
  }

  @Test("An optional value may be null")
  func optional() throws {
    let base = Theme("base", appearance: .dark) { $0[AppTheme.subtitle] = "there" }
    let document = try parse(values: #"{"subtitle": null}"#)
    #expect(try document.theme(extending: base, strict: true)[AppTheme.subtitle] == nil)
  }

  @Test("A name in braces is an alias and follows overrides of its target")
  func alias() throws {
    let values = ##"{"color": {"brand": "#f00", "accent": "{color.brand}"}}"##
    let theme = try parse(values: values).theme()
    #expect(theme[alias: .accent] == AppTheme.brand)
    #expect(theme[.accent] == .red)
    #expect(theme.deriving("blue") { $0[AppTheme.brand] = .blue }[.accent] == .blue)
  }

  @Test("An alias may precede its target, name an unset key, and replace an object")
  func aliasPlaces() throws {
    let theme = try parse(values: #"{"border": "{frame}", "color.accent": "{color.brand}"}"#)
      .theme()
    #expect(theme[AppTheme.border] == Border(width: 2, color: .gray))
    #expect(theme[.accent] == AppTheme.brand.defaultValue)
  }

  @Test("A key whose values are not Codable can be an alias of its own type")
  func aliasOfNotCodable() throws {
    let base = Theme("base", appearance: .dark) { $0[AppTheme.opaque] = Opaque(number: 7) }
    let document = try parse(values: #"{"mirror": "{opaque}"}"#)
    #expect(try document.theme(extending: base, strict: true)[AppTheme.mirror] == Opaque(number: 7))
  }

  @Test(
    "A text in double braces is the text in single braces",
    arguments: [
      ("{{x}}", "{x}"), ("{{{x}}}", "{{x}}"), ("{{}}", "{}"), ("{{color.brand}}", "{color.brand}"),
      ("{{x}} y", "{{x}} y"), ("{x", "{x"), ("x}", "x}"), ("{", "{"), ("}", "}"), ("", ""),
      ("}{", "}{"), ("{{\u{301}x}}", "{\u{301}x}"),
    ]
  )
  func braces(_ written: String, _ read: String) throws {
    let values: Node = ["title": .text(written), "subtitle": .text(written)]
    let theme = try ThemingTests.read(values: values).theme(strict: true)
    #expect(theme[AppTheme.title] == read)
    #expect(theme[AppTheme.subtitle] == read)
  }

  @Test(
    "A key set in several places is an issue; the one with the fewest levels is used",
    arguments: contested
  )
  func duplicates(_ values: Node, _ expected: RGBA) throws {
    var random = SampleNumbers(seed: 5)
    for _ in 0..<20 {
      let document = try read(values: values.shuffled(using: &random))
      #expect(
        document.issues.map(\.description) == [
          "\"color.text.primary\" is set twice; the setting with fewer levels is used: remove the other one"
        ]
      )
      #expect(issueCodes(document.issues) == ["duplicateKey"])
      #expect(try document.theme()[AppTheme.text] == expected)
    }
  }

  @Test("The order in which a decoder lists members does not matter")
  func order() throws {
    let values: Node = [
      "color": ["accnt": 1, "accent": "{color.brnd}", "brand": "#f00", "empty": [:]],
      "corner": ["radius": 3], "corner.radius": 4, "zebra": ["b": 1, "a": [1, 2]], "opaque": 5,
      "title": "t",
    ]
    let first = try read(values: values)
    #expect(
      first.issues.map(\.key) == [
        "color.accent", "color.accnt", "color.empty", "corner.radius", "opaque", "zebra.a",
        "zebra.b",
      ]
    )
    var random = SampleNumbers(seed: 9)
    for _ in 0..<100 {
      let other = try read(values: values.shuffled(using: &random))
      #expect(other.issues.map(\.description) == first.issues.map(\.description))
      #expect(try other.theme().changes(from: first.theme()).isEmpty)
    }
  }

  @Test("Groups nested 1,000 deep are read and cause one issue")
  func deep() throws {
    var values: Node = 1
    for _ in 0..<1_000 { values = ["a": values] }
    #expect(try issueCodes(read(values: values).issues) == ["unknownKey"])
  }

  @Test("A key with 20 levels is read from nested groups")
  func deepKey() throws {
    var values: Node = 7
    for _ in 0..<20 { values = ["a": values] }
    let document = try read(values: values, as: Deep.self)
    #expect(document.issues.isEmpty)
    #expect(try document.theme()[Deep.key] == 7)
  }

  @Test("Members deeper than any key of the schema are one issue, whatever their number")
  func deepAndWide() throws {
    var values: Node = .object((0..<1_000).map { Node.Member(name: "k\($0)", value: 1) })
    for _ in 0..<400 { values = ["a": values] }
    let issues = try read(values: values).issues
    #expect(issues.map(\.key) == [Array(repeating: "a", count: 16).joined(separator: ".")])
  }
}

/// A schema of a key with 20 levels.
private enum Deep: ThemeSchema {
  static let key = ThemeKey<Int>("a" + String(repeating: ".a", count: 19), default: 0)
  static let keys: [AnyThemeKey] = [key]
}
