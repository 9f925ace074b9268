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
      (#"{"opaque": 5}"#, #""opaque" has values that are not Codable"#),
      (#"{"opaque": null}"#, #""opaque" has values that are not Codable"#),
      (#"{"opaque": {"number": 5}}"#, #""opaque" has values that are not Codable"#),
    ]
  )
  func issues(_ values: String, _ expected: String) throws {
    let document = try parse(values: values)
    #expect(document.issues.map(\.description) == [expected])
    #expect(try document.theme().changes(from: Theme("empty")).isEmpty)
  }

  @Test("An issue has a code, a key and a suggestion to act on")
  func codes() throws {
    let document = try parse(
      values: #"{"color.accent": "{color.brnad}", "color.bland": 1, "opaque": 1, "zzzzzz": 1}"#
    )
    #expect(
      document.issues.map(\.code) == [
        .unknownAlias(target: "color.brnad"), .unknownKey, .notCodable, .unknownKey,
      ]
    )
    #expect(document.issues.map(\.key) == ["color.accent", "color.bland", "opaque", "zzzzzz"])
    #expect(document.issues.map(\.suggestion) == ["color.brand", "color.brand", nil, nil])
  }

  @Test("Known keys beside an issue are read")
  func readsTheRest() throws {
    let document = try parse(values: ##"{"color": {"acent": "#f00", "brand": "#00f"}}"##)
    #expect(document.issues.count == 1)
    #expect(try document.theme()[Skin.brand] == .blue)
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
    #expect(document.issues.map(\.code) == [.unknownMember, .unknownMember, .unknownMember])
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
    "A wrong type is a decoding error with the path to the value",
    arguments: [
      (#"{"corner": {"radius": "wide"}}"#, "not Int", "values/corner/radius"),
      (#"{"corner.radius": true}"#, "not Int", "values/corner.radius"),
      (#"{"corner": {"radius": 1.5}}"#, "corrupted", "values/corner/radius"),
      (#"{"corner": {"radius": [1]}}"#, "not Int", "values/corner/radius"),
      (#"{"corner": {"radius": {"px": 1}}}"#, "not Int", "values/corner/radius"),
      (#"{"color": {"text.primary": 5}}"#, "not String", "values/color/text.primary"),
      (#"{"color": {"text": {"primary": "bleu"}}}"#, "corrupted", "values/color/text/primary"),
      (#"{"border": {"width": 1, "color": 2}}"#, "not String", "values/border/color"),
      (#"{"border": {"width": 1}}"#, "no color", "values/border"),
      (#"{"border": 5}"#, "not Dictionary<String, Any>", "values/border"),
      (#"{"style": "bumpy"}"#, "corrupted", "values/style"),
      (#"{"font": {"weights": [400, "bold"]}}"#, "not Int", "values/font/weights/Index 1"),
      // A group that is none.
      (#"{"color": "red"}"#, "not Dictionary<String, Any>", "values/color"),
      (#"{"color": "{border}"}"#, "not Dictionary<String, Any>", "values/color"),
      (#"{"color": [1]}"#, "not Dictionary<String, Any>", "values/color"),
      (#"{"color": {"text": 5}}"#, "not Dictionary<String, Any>", "values/color/text"),
      (#"{"color.text": 5}"#, "not Dictionary<String, Any>", "values/color.text"),
      // null is not nothing.
      (#"{"color": null}"#, "null", "values/color"),
      (#"{"corner.radius": null}"#, "null", "values/corner.radius"),
      (#"{"color": {"accent": null}}"#, "null", "values/color/accent"),
      (#"{"border": null}"#, "null", "values/border"),
      (#"null"#, "null", "values"),
      (#"[]"#, "not Dictionary<String, Any>", "values"),
      (#""{color.brand}""#, "not Dictionary<String, Any>", "values"),
    ]
  )
  func wrongTypes(_ values: String, _ kind: String, _ path: String) throws {
    let error = try #require(throws: DecodingError.self) { try parse(values: values) }
    #expect(summary(error).kind == kind)
    #expect(summary(error).path == path)
  }

  @Test("An error of the value's own decoding is the underlying one, with the path to the value")
  func ownError() throws {
    let error = try #require(throws: DecodingError.self) {
      try NodeDecoder.decode(
        ThemeDocument<Fussy>.self,
        from: ["name": "t", "values": ["group": ["fussy": 1]]]
      )
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("expected corrupted data, not \(error)")
      return
    }
    #expect(context.underlyingError is Fussy.Refused)
    #expect(summary(error).path == "values/group/fussy")
    #expect(context.debugDescription == "The value of \"group.fussy\" cannot be read: Refused()")
  }

  @Test("An error without a path is reported with the path to the value")
  func lostPath() throws {
    let error = try #require(throws: DecodingError.self) {
      try NodeDecoder.decode(
        ThemeDocument<Lost>.self,
        from: ["name": "t", "values": ["group": ["lost": 1]]]
      )
    }
    #expect(summary(error).kind == "not Int")
    #expect(summary(error).path == "values/group/lost")
    #expect(summary(error).text == "somewhere")
  }

  @Test("An alias of a key with another type is an error that names both")
  func wrongAlias() throws {
    let error = try #require(throws: DecodingError.self) {
      try parse(values: #"{"color": {"accent": "{corner.radius}"}}"#)
    }
    #expect(summary(error).kind == "not RGBA")
    #expect(summary(error).path == "values/color/accent")
    #expect(
      summary(error).text == "\"color.accent\" has values of type RGBA and cannot be an alias of "
        + "\"corner.radius\", which has values of type Int"
    )
  }

  @Test("A key whose values are not Codable cannot be an alias of another type")
  func wrongAliasOfNotCodable() throws {
    let error = try #require(throws: DecodingError.self) {
      try parse(values: #"{"opaque": "{corner.radius}"}"#)
    }
    #expect(summary(error).kind == "not Opaque")
  }

  @Test(
    "Members beside the values have types, and only the name is required",
    arguments: [
      (#"{}"#, "no name", ""), (#"{"name": null}"#, "null", "name"),
      (#"{"name": 5}"#, "not String", "name"),
      (#"{"name": "t", "appearance": "dim"}"#, "corrupted", "appearance"),
      (#"{"name": "t", "appearance": null}"#, "null", "appearance"),
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

  @Test("A document without a name is an error of its own, whatever it contains")
  func noName() throws {
    let error = try #require(throws: DecodingError.self) { try parse(#"{"values": 5}"#) }
    #expect(summary(error).kind == "no name")
  }
}

/// A value that refuses to be read, with an error of its own.
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
