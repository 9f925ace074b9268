import Testing
import Theming

#if canImport(FoundationEssentials)
import FoundationEssentials  // Reason: its encoder stands for the one that users bring.
#else
import Foundation  // Reason: its encoder stands for the one that users bring.
#endif

@Suite("Writing documents")
struct WriteDocumentTests {
  private let fog = Theme("Fog", appearance: .light) {
    $0[AppTheme.title] = "fog"
    $0[alias: .accent] = AppTheme.brand
    $0[AppTheme.brand] = .red
    $0[AppTheme.border] = Border(width: 1, color: .blue)
    $0[AppTheme.scale] = 1.5
    $0[alias: AppTheme.mirror] = AppTheme.opaque
  }

  @Test("A document has dotted names in alphabetical order, with aliases in braces")
  func order() throws {
    let document = AppThemeDocument(fog.deriving("Mist", appearance: .dark) { $0[.radius] = 1 })
    #expect(
      try NodeEncoder.encode(document) == [
        "name": "Mist", "appearance": "dark", "extends": "Fog", "values": ["corner.radius": 1],
      ]
    )
    #expect(
      try NodeEncoder.encode(AppThemeDocument(fog)) == [
        "name": "Fog", "appearance": "light",
        "values": [
          "border": ["width": 1, "color": "#0000ff"], "color.accent": "{color.brand}",
          "color.brand": "#ff0000", "mirror": "{opaque}", "scale": .number(1.5), "title": "fog",
        ],
      ]
    )
  }

  @Test("A document contains the theme's own values and the name of its base")
  func ownLayer() throws {
    let mist = fog.deriving("Mist") { $0[.radius] = 1 }
    let drizzle = mist.deriving("Drizzle") { $0[AppTheme.bold] = true }
    let document = AppThemeDocument(drizzle)
    #expect(document.name == "Drizzle")
    #expect(document.extends == "Mist")
    #expect(document.appearance == .light)
    let again = try document.theme(extending: Theme("Mist", appearance: .dark))
    #expect(again.changes(from: Theme("empty", appearance: .dark)) == [AppTheme.bold])
    #expect(try document.theme(extending: mist, strict: true).changes(from: drizzle).isEmpty)
  }

  @Test("A renamed theme is written under its new name")
  func renamed() {
    var theme = fog
    theme.name = "Haze"
    #expect(AppThemeDocument(theme).name == "Haze")
    #expect(AppThemeDocument(theme.deriving("Mist") { _ in }).extends == "Haze")
  }

  @Test("A key outside the schema or without Codable values is left out and is an issue")
  func leavesOut() throws {
    let stranger = ThemeKey<RGBA>("color.brant", default: .gray)
    let namesake = ThemeKey<Int>("title", default: 0)
    let other = ThemeKey<RGBA>("elsewhere", default: .gray)
    let theme = Theme("t", appearance: .dark) {
      $0[stranger] = .red
      $0[namesake] = 1
      $0[AppTheme.opaque] = Opaque(number: 1)
      $0[alias: .accent] = stranger
      $0[alias: other] = .accent
      $0[.radius] = 3
    }
    let document = AppThemeDocument(theme)
    #expect(
      document.issues.map(\.description) == [
        #""color.accent" points at "color.brant", which is not a key of the theme; did you mean "color.brand"?"#,
        #""color.brant" is not a key of the theme; did you mean "color.brand"?"#,
        #""elsewhere" is not a key of the theme"#,
        #""opaque" has values that are not Codable: make their type Codable, or leave the key out of the schema"#,
        #""title" is not a key of the theme"#,
      ]
    )
    #expect(
      issueCodes(document.issues) == [
        "unknownAlias(target: \"color.brant\")", "unknownKey", "unknownKey", "notCodable",
        "unknownKey",
      ]
    )
    #expect(
      try document.theme().changes(from: Theme("empty", appearance: .dark)) == [ThemeKeys.radius]
    )
    #expect(
      try NodeEncoder.encode(document) == [
        "name": "t", "appearance": "dark", "values": ["corner.radius": 3],
      ]
    )
  }

  @Test(
    "A text that looks like an alias is written with an additional pair of braces",
    arguments: [
      ("{x}", "{{x}}"), ("{{x}}", "{{{x}}}"), ("{}", "{{}}"), ("{{}", "{{{}}"), ("{}}", "{{}}}"),
      ("{color.brand}", "{{color.brand}}"), ("{x} y", "{x} y"), ("{", "{"), ("}", "}"), ("", ""),
      ("}{", "}{"), ("{\u{301}x}", "{{\u{301}x}}"), ("{x\n}", "{{x\n}}"),
    ]
  )
  func braces(_ text: String, _ written: String) throws {
    let theme = Theme("t", appearance: .dark) {
      $0[AppTheme.title] = text
      $0[AppTheme.subtitle] = text
    }
    let node = try NodeEncoder.encode(AppThemeDocument(theme))
    #expect(
      node == [
        "name": "t", "appearance": "dark",
        "values": ["subtitle": .text(written), "title": .text(written)],
      ]
    )
    let again = try NodeDecoder.decode(AppThemeDocument.self, from: node).theme(strict: true)
    #expect(again[AppTheme.title] == text)
    #expect(again[AppTheme.subtitle] == text)
  }

  @Test("An alias whose target name is in braces cannot be read back and is an issue")
  func nameInBraces() {
    let theme = Theme("t", appearance: .dark) { $0[alias: Awkward.plain] = Awkward.braced }
    #expect(
      issueCodes(ThemeDocument<Awkward>(theme).issues) == [#"unknownAlias(target: "{braced}")"#]
    )
  }

  @Test("An encoder's error is rethrown")
  func throwsOn() {
    let theme = Theme("t", appearance: .dark) { $0[AppTheme.scale] = .infinity }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(AppThemeDocument(theme)) }
  }

  @Test("A document that was read is written in normalized form")
  func readAndWrite() throws {
    let document = try read(values: ["color": ["accent": "{color.brand}", "odd": 1], "title": "t"])
    #expect(
      try NodeEncoder.encode(document) == [
        "name": "t", "values": ["color.accent": "{color.brand}", "title": "t"],
      ]
    )
  }
}

private enum Awkward: ThemeSchema {
  static let plain = ThemeKey<Int>("plain", default: 0)
  static let braced = ThemeKey<Int>("{braced}", default: 0)
  static let keys: [AnyThemeKey] = [plain, braced]
}
