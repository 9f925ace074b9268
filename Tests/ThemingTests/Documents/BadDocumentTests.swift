import TestSupport
import Testing
import Theming

@Suite("Invalid documents")
struct BadDocumentTests {
  @Test(
    "An unknown key is an issue with a suggested name",
    arguments: [
      (
        #"{"color.acent": 1}"#,
        #""color.acent" is not a key of the theme; did you mean "color.accent"?"#
      ),
      (
        #"{"colour": {"accent": 1}}"#,
        #""colour.accent" is not a key of the theme; did you mean "color.accent"?"#
      ),
      (
        #"{"color": {"text": {"prim": 1}}}"#,
        #""color.text.prim" is not a key of the theme; did you mean "color.text.primary"?"#
      ),
      (
        #"{"Corner.Radius": 1}"#,
        #""Corner.Radius" is not a key of the theme; did you mean "corner.radius"?"#
      ),
      (
        #"{"corner": {"raduis": 1}}"#,
        #""corner.raduis" is not a key of the theme; did you mean "corner.radius"?"#
      ),
      (#"{"blinking": true}"#, #""blinking" is not a key of the theme"#),
      (#"{"blinking": null}"#, #""blinking" is not a key of the theme"#),
      (#"{"blinking": [1, {"title": 2}]}"#, #""blinking" is not a key of the theme"#),
      (#"{"blinking": {}}"#, #""blinking" is not a key of the theme"#),
      (#"{"blinking": {"fast": {}}}"#, #""blinking.fast" is not a key of the theme"#),
      (#"{"blinking": "{color.brand}"}"#, #""blinking" is not a key of the theme"#),
      (#"{"": 1}"#, #""" is not a key of the theme"#),
      (#"{"color": {"": 1}}"#, #""color." is not a key of the theme"#),
      (
        #"{"color.accent": "{color.brnad}"}"#,
        #""color.accent" points at "color.brnad", which is not a key of the theme; did you mean "color.brand"?"#
      ),
      (
        #"{"color.accent": "{ color.brand }"}"#,
        #""color.accent" points at " color.brand ", which is not a key of the theme; did you mean "color.brand"?"#
      ),
      (
        #"{"color.accent": "{font}"}"#,
        #""color.accent" points at "font", which is not a key of the theme"#
      ),
      (
        #"{"color.accent": "{}"}"#,
        #""color.accent" points at "", which is not a key of the theme"#
      ),
      (
        #"{"opaque": 5}"#,
        #""opaque" has values that are not Codable: make their type Codable, or leave the key out of the schema"#
      ),
      (
        #"{"opaque": null}"#,
        #""opaque" has values that are not Codable: make their type Codable, or leave the key out of the schema"#
      ),
      (
        #"{"opaque": {"number": 5}}"#,
        #""opaque" has values that are not Codable: make their type Codable, or leave the key out of the schema"#
      ),
    ]
  )
  func issues(_ values: String, _ expected: String) throws {
    let document = try parse(values: values)
    #expect(document.issues.map(\.description) == [expected])
    #expect(try document.theme().changes(from: Theme("empty", appearance: .dark)).isEmpty)
  }

  @Test("An issue has a code, a key and a suggestion to act on")
  func codes() throws {
    let document = try parse(
      values: #"{"color.accent": "{color.brnad}", "color.bland": 1, "opaque": 1, "zzzzzz": 1}"#
    )
    #expect(
      issueCodes(document.issues) == [
        "unknownAlias(target: \"color.brnad\")", "unknownKey", "notCodable", "unknownKey",
      ]
    )
    #expect(document.issues.map(\.key) == ["color.accent", "color.bland", "opaque", "zzzzzz"])
    #expect(document.issues.map(\.suggestion) == ["color.brand", "color.brand", nil, nil])
  }

  @Test("A group of the schema may be empty")
  func emptyGroup() throws {
    #expect(try problems(#"{"color": {"text": {}}, "font": {}}"#).isEmpty)
  }

  @Test("An unknown member is an issue with a suggested name")
  func members() throws {
    let document = try parse(
      #"{"name": "t", "apearance": "light", "value": {"scale": 2}, "license": "CC0"}"#
    )
    #expect(
      document.issues.map(\.description) == [
        #""apearance" is not a member of a theme; did you mean "appearance"?"#,
        #""license" is not a member of a theme"#,
        #""value" is not a member of a theme; did you mean "values"?"#,
      ]
    )
    #expect(issueCodes(document.issues) == ["unknownMember", "unknownMember", "unknownMember"])
    #expect(document.appearance == nil)
  }

  @Test("Issues of members and keys come in one order, by name")
  func sorted() throws {
    let document = try parse(
      #"{"name": "t", "zoo": 1, "b": 1, "values": {"a": 1, "c": 1, "opaque": 1, "zzz": 1}}"#
    )
    #expect(document.issues.map(\.key) == ["a", "b", "c", "opaque", "zoo", "zzz"])
  }

  @Test(
    "A value of a wrong type is left out, and the issue names the key, the part and the remedy",
    arguments: [
      (#"{"corner": {"radius": "wide"}}"#, "corner.radius", wrongType("Int")),
      (#"{"corner.radius": true}"#, "corner.radius", wrongType("Int")),
      (#"{"corner": {"radius": [1]}}"#, "corner.radius", wrongType("Int")),
      (#"{"corner": {"radius": {"px": 1}}}"#, "corner.radius", wrongType("Int")),
      (#"{"color": {"text.primary": 5}}"#, "color.text.primary", wrongType("String")),
      (
        #"{"border": {"width": 1, "color": 2}}"#, "border",
        #"has the wrong type at "color": write a value of type String"#
      ),
      (#"{"border": {"width": 1}}"#, "border", #"has no "color": add it"#),
      (#"{"border": 5}"#, "border", "has the wrong type: write an object"),
      (
        #"{"font": {"weights": [400, "bold"]}}"#, "font.weights",
        #"has the wrong type at "Index 1": write a value of type Int"#
      ),
      (
        #"{"color": {"text": {"primary": "bleu"}}}"#, "color.text.primary",
        #"cannot be read: "bleu" is not a color: write #rrggbb or #rrggbbaa"#
      ),
      // A group that is none.
      (#"{"color": "red"}"#, "color", notGroup), (#"{"color": "{border}"}"#, "color", notGroup),
      (#"{"color": [1]}"#, "color", notGroup), (#"{"color": {"text": 5}}"#, "color.text", notGroup),
      (#"{"color.text": 5}"#, "color.text", notGroup), (#"{"color": null}"#, "color", notGroup),
      // null is not nothing.
      (#"{"corner.radius": null}"#, "corner.radius", null("Int")),
      (#"{"color": {"accent": null}}"#, "color.accent", null("String")),
      // An alias of a key with another type.
      (
        #"{"color": {"accent": "{corner.radius}"}}"#, "color.accent",
        #"has values of type RGBA and cannot be an alias of "corner.radius", which has values of "#
          + "type Int"
      ),
      (
        #"{"opaque": "{corner.radius}"}"#, "opaque",
        #"has values of type Opaque and cannot be an alias of "corner.radius", which has values "#
          + "of type Int"
      ),
    ]
  )
  func wrongTypes(_ values: String, _ key: String, _ problem: String) throws {
    let document = try parse(values: values)
    #expect(document.issues.map(\.key) == [key])
    #expect(
      issueCodes(document.issues) == ["unreadableValue(problem: \(problem.debugDescription))"]
    )
    #expect(document.issues.map(\.description) == ["\"\(key)\" \(problem)"])
    #expect(try document.theme().changes(from: Theme("empty", appearance: .dark)).isEmpty)
    let error = try #require(throws: ThemeError.self) { try document.theme(strict: true) }
    #expect(error.code == .issues)
    #expect(error.issues.map(\.description) == document.issues.map(\.description))
  }

  @Test(
    "A value that its own type refuses is left out",
    arguments: [
      (#"{"corner": {"radius": 1.5}}"#, "corner.radius"), (#"{"style": "bumpy"}"#, "style"),
      (#"{"border": null}"#, "border"),
    ]
  )
  func refusedValues(_ values: String, _ key: String) throws {
    let document = try parse(values: values)
    #expect(document.issues.map(\.key) == [key])
    guard case .unreadableValue = document.issues.first?.code else {
      Issue.record("expected an unreadable value, not \(document.issues)")
      return
    }
  }

  @Test("Values beside one of a wrong type are read")
  func readsBesideWrongTypes() throws {
    let document = try parse(
      values: ##"{"corner.radius": "wide", "scale": 2, "color": {"brand": "#00f", "accent": 1}}"##
    )
    #expect(document.issues.map(\.key) == ["color.accent", "corner.radius"])
    let theme = try document.theme()
    #expect(theme[AppTheme.scale] == 2)
    #expect(theme[AppTheme.brand] == .blue)
    #expect(theme[.radius] == 4)
  }

  @Test("A problem of a value is bounded, whatever the value contains")
  func longProblem() throws {
    let text = String(repeating: "x", count: 100_000)
    let document = try parse(values: "{\"color.brand\": \"\(text)\"}")
    #expect(document.issues.count == 1)
    #expect(document.issues.allSatisfy { $0.description.count < 400 })
  }

  @Test("An error of the value's own decoding is in the issue")
  func ownError() throws {
    let document = try read(values: ["group": ["fussy": 1]], as: Fussy.self)
    #expect(
      document.issues.map(\.description) == ["\"group.fussy\" cannot be read: Refused()"]
    )
  }

  @Test("An error without a path is an issue of its key")
  func lostPath() throws {
    let document = try read(values: ["group": ["lost": 1]], as: Lost.self)
    #expect(
      issueCodes(document.issues) == [
        "unreadableValue(problem: \(wrongType("Int").debugDescription))"
      ]
    )
    #expect(document.issues.map(\.key) == ["group.lost"])
  }

  @Test("An issue is one line, whatever its names contain")
  func oneLine() throws {
    let document = try parse(
      values: #"{"a\nforged: line": 1, "color.accent": "{x\r\u001b[2J\u2028}", "style": "a\nb"}"#
    )
    let lines = document.issues.map(\.description)
    #expect(lines.count == 3)
    let scalars = lines.joined().unicodeScalars
    #expect(scalars.allSatisfy { $0.value >= 32 && $0 != "\u{2028}" })
    #expect(lines.first == #""a\nforged: line" is not a key of the theme"#)
  }

  @Test("Only the first 100 unknown names of a file are searched for")
  func manyUnknownNames() throws {
    let members = (0..<size(500, full: 5_000)).map { Node.Member(name: "font.bolt\($0)", value: 1) }
    let document = try read(values: .object(members))
    #expect(document.issues.count == members.count)
    #expect(document.issues.prefix(100).map(\.suggestion).contains("font.bold"))
    #expect(document.issues.dropFirst(100).allSatisfy { $0.suggestion == nil })
  }

  @Test("Issues that need no suggestion leave the suggestions to those that do")
  func suggestionsForOthers() throws {
    let wrong = (0..<200).map { Node.Member(name: "key\($0)", value: "text") }
    let document = try NodeDecoder.decode(
      ThemeDocument<Numbered>.self,
      from: [
        "name": "t",
        "values": .object(wrong + [Node.Member(name: "size.widht", value: 1)]),
      ]
    )
    #expect(document.issues.count == 201)
    #expect(document.issues.last?.suggestion == "size.width")
  }

  @Test(
    "Members beside the values have types, and only the name is required",
    arguments: [
      (#"{}"#, "no name", ""), (#"{"name": null}"#, "null", "name"),
      (#"{"name": 5}"#, "not String", "name"),
      (#"{"name": "t", "values": null}"#, "null", "values"),
      (#"{"name": "t", "values": []}"#, "not Dictionary<String, Any>", "values"),
      (#"{"name": "t", "values": "{color.brand}"}"#, "not Dictionary<String, Any>", "values"),
      (#"{"name": "t", "extends": ["a"]}"#, "not String", "extends"),
      (#"{"name": "t", "extends": null}"#, "null", "extends"),
      (#"[]"#, "not Dictionary<String, Any>", ""), (#""t""#, "not Dictionary<String, Any>", ""),
      (#"null"#, "null", ""),
    ]
  )
  func wrongMembers(_ json: String, _ kind: String, _ path: String) throws {
    let error = try #require(throws: DecodingError.self) { try parse(json) }
    #expect(summary(error).kind == kind)
    #expect(summary(error).path == path)
  }

  @Test(
    "An appearance of a wrong type is left out",
    arguments: [#""dim""#, "null", "5", "[]"]
  )
  func wrongAppearance(_ appearance: String) throws {
    let document = try parse(#"{"name": "t", "appearance": \#(appearance)}"#)
    #expect(document.appearance == nil)
    #expect(document.issues.map(\.key) == ["appearance"])
    #expect(throws: ThemeError.self) { try document.theme(strict: true) }
  }
}

private let notGroup = "is a group: write an object with its members"

private func wrongType(_ type: String) -> String {
  "has the wrong type: write a value of type \(type)"
}

private func null(_ type: String) -> String {
  "is null: write a value of type \(type), or leave it out"
}

/// A schema of 200 numbers and a width.
private enum Numbered: ThemeSchema {
  static let keys: [AnyThemeKey] =
    (0..<200).map { ThemeKey<Int>("key\($0)", default: 0) }
    + [ThemeKey<Int>("size.width", default: 0)]
}

/// A value that refuses to be read, with its own error.
private struct Fussy: Codable, Equatable {
  struct Refused: Error {}

  init() {}

  init(from decoder: any Decoder) throws { throw Refused() }

  func encode(to encoder: any Encoder) throws { throw Refused() }
}

extension Fussy: ThemeSchema {
  static let keys: [ThemeKeys] = [ThemeKey<Fussy>("group.fussy", default: Fussy())]
}

/// A value whose error omits the path.
private struct Lost: Codable, Equatable {
  init() {}

  init(from decoder: any Decoder) throws {
    throw DecodingError.typeMismatch(
      Int.self,
      DecodingError.Context(codingPath: [], debugDescription: "somewhere")
    )
  }

  func encode(to encoder: any Encoder) throws {}
}

extension Lost: ThemeSchema {
  static let keys: [ThemeKeys] = [ThemeKey<Lost>("group.lost", default: Lost())]
}
