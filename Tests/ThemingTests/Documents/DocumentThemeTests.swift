import Testing
import Theming

@Suite("Themes from documents")
struct DocumentThemeTests {
  private let day = Theme("Day", appearance: .light) {
    $0[AppTheme.brand] = .blue
    $0[alias: .accent] = AppTheme.brand
    $0[.radius] = 2
  }

  @Test("A document's theme is a layer over its base, and aliases of both follow each other")
  func layers() throws {
    let document = try parse(
      ##"{"name": "Fog", "extends": "Day", "values": {"color.brand": "#f00", "border": "{frame}"}}"##
    )
    let theme = try document.theme(extending: day)
    #expect(theme[.accent] == .red)
    #expect(theme[.radius] == 2)
    let framed = Border(width: 9, color: .red)
    #expect(theme.deriving("framed") { $0[AppTheme.frame] = framed }[AppTheme.border] == framed)
    #expect(theme.explain(.accent).steps.map(\.theme) == ["Day", "Fog"])
  }

  @Test("A value set by the document can be removed, and the base's shows again")
  func ownLayer() throws {
    let document = try parse(#"{"name": "Fog", "values": {"corner.radius": 6}}"#)
    var theme = try document.theme(extending: day)
    #expect(theme[.radius] == 6)
    theme.remove(ThemeKeys.radius)
    #expect(theme[.radius] == 2)
  }

  @Test("The appearance is that of the document, else of the base, else dark")
  func appearance() throws {
    let silent = try parse(#"{"name": "t"}"#)
    #expect(try silent.theme().appearance == .dark)
    #expect(try silent.theme(extending: day).appearance == .light)
    let dark = try parse(#"{"name": "t", "appearance": "dark"}"#)
    #expect(try dark.theme(extending: day).appearance == .dark)
  }

  @Test("A document without the base it extends produces no theme", arguments: [false, true])
  func noBase(_ strict: Bool) throws {
    let document = try parse(#"{"name": "Fog", "extends": "Day"}"#)
    let error = try #require(throws: ThemeError.self) { try document.theme(strict: strict) }
    #expect(error.code == .wrongBase)
    #expect(error.themes == ["Fog", "Day"])
    #expect(
      "\(error)"
        == "The theme \"Fog\" extends \"Day\". Call theme(extending:) with the theme \"Day\"."
    )
  }

  @Test("A base of another name is accepted unless reading is strict")
  func otherBase() throws {
    let document = try parse(#"{"name": "Fog", "extends": "Noon"}"#)
    #expect(try document.theme(extending: day)[.radius] == 2)
    let error = try #require(throws: ThemeError.self) {
      try document.theme(extending: day, strict: true)
    }
    #expect(error.code == .wrongBase)
    #expect(error.themes == ["Fog", "Noon"])
    #expect(
      "\(error)"
        == "The theme \"Fog\" extends \"Noon\", but was given \"Day\". "
        + "Call theme(extending:) with the theme \"Noon\"."
    )
  }

  @Test("In strict reading, issues are an error that lists them")
  func strict() throws {
    let document = try parse(values: #"{"color.acent": "fff", "opaque": 1, "scale": 2}"#)
    #expect(try document.theme()[AppTheme.scale] == 2)
    let error = try #require(throws: ThemeError.self) { try document.theme(strict: true) }
    #expect(error.code == .issues)
    #expect(error.themes == ["t"])
    #expect(error.issues.map(\.description) == document.issues.map(\.description))
    #expect(
      "\(error)" == """
        The theme "t" has 2 issues:
          "color.acent" is not a key of the theme; did you mean "color.accent"?
          "opaque" has values that are not Codable: make their type Codable, or leave the key out of the schema
        """
    )
  }

  @Test("In strict reading, the base is checked before the issues")
  func baseFirst() throws {
    let document = try parse(#"{"name": "t", "extends": "Day", "odd": 1}"#)
    let error = try #require(throws: ThemeError.self) { try document.theme(strict: true) }
    #expect(error.code == .wrongBase)
  }

  @Test("An alias cycle is an error that names the keys", arguments: [false, true])
  func cycle(_ strict: Bool) throws {
    let document = try parse(
      values: #"{"color": {"text.primary": "{color.accent}", "accent": "{color.text.primary}"}}"#
    )
    let error = try #require(throws: ThemeError.self) { try document.theme(strict: strict) }
    #expect(error.code == .aliasCycle)
    #expect(error.themes == ["t"])
    #expect(error.path == ["color.accent", "color.text.primary", "color.accent"])
  }

  @Test("A cycle across document and base is an error; one that the document breaks is not")
  func cycleWithBase() throws {
    let closing = try parse(values: #"{"color.brand": "{color.accent}"}"#)
    #expect(throws: ThemeError.self) { try closing.theme(extending: day) }
    #expect(throws: Never.self) { try closing.theme() }
    let torn = day.deriving("torn") { $0[alias: AppTheme.brand] = .accent }
    let opening = try parse(values: ##"{"color.brand": "#f00"}"##)
    #expect(try opening.theme(extending: torn)[.accent] == .red)
  }
}
