import TestSupport
import Testing
import Theming

/// The files of a folder, read by name.
private struct Folder {
  var files: [(name: String, json: String)]
  var bases: [Theme] = []

  func load(strict: Bool = false) -> LoadedThemes {
    AppThemeDocument.load(files.map(\.name), extending: bases, strict: strict) { name in
      try parse(files.first { $0.name == name }?.json ?? "")
    }
  }
}

@Suite("Loading a folder of documents")
struct LoadTests {
  @Test("Documents extend one another and the bases, in any order of the files")
  func extends() throws {
    let loaded = Folder(
      files: [
        ("a.json", #"{"name": "Third", "extends": "Second", "values": {"scale": 3}}"#),
        ("b.json", #"{"name": "First", "extends": "Day", "values": {"corner.radius": 1}}"#),
        ("c.json", ##"{"name": "Second", "extends": "First", "values": {"color.brand": "#f00"}}"##),
        ("d.json", #"{"name": "Alone"}"#),
      ],
      bases: [Theme("Day", appearance: .light) { $0[AppTheme.title] = "day" }]
    ).load()
    #expect(loaded.issues.isEmpty)
    #expect(loaded.themes.map(\.name) == ["Third", "First", "Second", "Alone"])
    let third = try #require(loaded.themes.first)
    #expect(third[AppTheme.scale] == 3)
    #expect(third[AppTheme.brand] == .red)
    #expect(third[.radius] == 1)
    #expect(third[AppTheme.title] == "day")
    #expect(third.appearance == .light)
    #expect(loaded.themes.last?.appearance == .dark)
  }

  @Test("A file that cannot be decoded is named, and the others load")
  func unreadable() {
    let loaded = Folder(files: [("a.json", "{"), ("b.json", #"{"name": "B"}"#)]).load()
    #expect(loaded.themes.map(\.name) == ["B"])
    #expect(loaded.issues.map(\.file) == ["a.json"])
    guard case .unreadable(let error)? = loaded.issues.first?.problem else {
      Issue.record("expected an unreadable file, not \(loaded.issues)")
      return
    }
    #expect(error is DecodingError)
    #expect(loaded.issues.first.map { "\($0)".hasPrefix("a.json: ") } == true)
  }

  @Test("Issues of a document name its file; the theme is loaded leniently and refused strictly")
  func issues() {
    let folder = Folder(
      files: [
        ("a.json", #"{"name": "A", "values": {"color.acent": 1, "corner.radius": "wide"}}"#),
        ("b.json", #"{"name": "B", "extends": "A"}"#),
      ]
    )
    let lenient = folder.load()
    #expect(lenient.themes.map(\.name) == ["A", "B"])
    #expect(
      lenient.issues.map(\.description) == [
        #"a.json: "color.acent" is not a key of the theme; did you mean "color.accent"?"#,
        #"a.json: "corner.radius" has the wrong type: write a value of type Int"#,
      ]
    )
    let strict = folder.load(strict: true)
    #expect(strict.themes.isEmpty)
    #expect(strict.issues.map(\.file) == ["a.json", "b.json"])
    #expect(strict.codes == [.issues, .failedBase])
  }

  @Test(
    "An unknown base is an issue with the closest name",
    arguments: [("Dya", "Day"), ("Firts", "First"), ("Unheard", nil)] as [(String, String?)]
  )
  func unknownBase(_ written: String, _ meant: String?) {
    let loaded = Folder(
      files: [
        ("a.json", #"{"name": "A", "extends": "\#(written)"}"#), ("b.json", #"{"name": "First"}"#),
      ],
      bases: [Theme("Day", appearance: .dark)]
    ).load()
    #expect(loaded.themes.map(\.name) == ["First"])
    #expect(loaded.codes == [.unknownBase])
    #expect(loaded.errors.map(\.suggestion) == [meant])
    #expect(loaded.issues.map(\.file) == ["a.json"])
  }

  @Test("A theme that extends an unknown base is not itself suggested for it")
  func unknownBaseLikeItself() {
    let loaded = Folder(files: [("a.json", #"{"name": "Fogg", "extends": "Fog"}"#)]).load()
    #expect(loaded.codes == [.unknownBase])
    #expect(loaded.errors.map(\.suggestion) == [nil])
  }

  @Test("The first 100 of many unknown bases are searched for")
  func manyUnknownBases() {
    let files = (0..<120).map { (name: "\($0)", json: #"{"name": "\#($0)", "extends": "Dya"}"#) }
    let suggestions = Folder(files: files, bases: [Theme("Day", appearance: .dark)]).load().errors
      .map(\.suggestion)
    #expect(suggestions == Array(repeating: "Day", count: 100) + Array(repeating: nil, count: 20))
  }

  @Test("A cycle of bases is an issue of each of its files and of those that extend it")
  func cycle() {
    let loaded = Folder(
      files: [
        ("x.json", #"{"name": "X", "extends": "A"}"#),
        ("a.json", #"{"name": "A", "extends": "B"}"#),
        ("b.json", #"{"name": "B", "extends": "A"}"#),
        ("self.json", #"{"name": "Self", "extends": "Self"}"#),
        ("ok.json", #"{"name": "Fine"}"#),
      ]
    ).load()
    #expect(loaded.themes.map(\.name) == ["Fine"])
    #expect(loaded.issues.map(\.file) == ["x.json", "a.json", "b.json", "self.json"])
    #expect(loaded.codes == [.failedBase, .baseCycle, .baseCycle, .baseCycle])
    #expect(
      loaded.errors.map(\.path) == [[], ["A", "B", "A"], ["A", "B", "A"], ["Self", "Self"]]
    )
  }

  @Test("Of several documents with one name the first is used, and a base before all")
  func duplicates() {
    let loaded = Folder(
      files: [
        ("a.json", #"{"name": "A", "values": {"scale": 1}}"#),
        ("b.json", #"{"name": "A", "values": {"scale": 2}}"#), ("c.json", #"{"name": "Day"}"#),
        ("d.json", #"{"name": "D", "extends": "A"}"#),
      ],
      bases: [Theme("Day", appearance: .dark)]
    ).load()
    #expect(loaded.themes.map(\.name) == ["A", "D"])
    #expect(loaded.themes.map { $0[AppTheme.scale] } == [1, 1])
    #expect(loaded.issues.map(\.file) == ["b.json", "c.json"])
    #expect(loaded.codes == [.duplicateName, .duplicateName])
  }

  @Test("Aliases that form a cycle with those of the base are an issue of the file")
  func aliasCycle() {
    let loaded = Folder(
      files: [
        ("a.json", #"{"name": "A", "values": {"color.brand": "{color.accent}"}}"#),
        ("b.json", #"{"name": "B", "extends": "A", "values": {"color.accent": "{color.brand}"}}"#),
      ]
    ).load()
    #expect(loaded.themes.map(\.name) == ["A"])
    #expect(loaded.codes == [.aliasCycle])
  }

  @Test("A long chain of documents loads, whichever end comes first", arguments: [false, true])
  func longChain(_ reversed: Bool) throws {
    let names = (0..<size(500, full: 2_000)).map { "t\($0)" }
    let documents = try names.indices.map { index in
      let base = index > 0 ? #", "extends": "\#(names[index - 1])""# : ""
      return try parse(#"{"name": "\#(names[index])"\#(base), "values": {"scale": \#(index)}}"#)
    }
    let files = reversed ? names.reversed() : names
    let byName = Dictionary(uniqueKeysWithValues: zip(names, documents))
    let loaded = AppThemeDocument.load(files) { try #require(byName[$0]) }
    #expect(loaded.issues.isEmpty)
    #expect(loaded.themes.map(\.name) == files)
    let last = loaded.themes.first { $0.name == names.last }
    #expect(last?[AppTheme.scale] == Double(names.count - 1))
  }

  @Test("A problem of a file has one line, whatever the names in it contain")
  func oneLine() {
    let loaded = Folder(
      files: [("a.json", #"{"name": "A\nforged.json: fine", "extends": "x\ny"}"#)]
    ).load()
    #expect(loaded.issues.map { "\($0)".contains("\n") } == [false])
  }
}

extension LoadedThemes {
  fileprivate var errors: [ThemeError] {
    issues.compactMap { if case .refused(let error) = $0.problem { error } else { nil } }
  }

  fileprivate var codes: [ThemeError.Code] { errors.map(\.code) }
}
