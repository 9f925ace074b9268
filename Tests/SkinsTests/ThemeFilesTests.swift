#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// Folders of theme files in which something is wrong, seen from outside.
@Suite("Theme files of skins")
struct ThemeFilesTests {
  /// Returns the error message if the picture needs Fog and a folder does not contain it.
  private func complaint(_ folder: String) throws -> String {
    let result = try Program("skins").run(["--svg", "-", "--themes", folder])
    #expect(result.status == 1)
    #expect(result.output == "")
    return result.complaints
  }

  @Test("A missing folder is named together with the option that selects another")
  func noFolder() throws {
    let said = try complaint("/nowhere/at/all")
    #expect(said.contains("/nowhere/at/all cannot be read: name a folder with --themes DIR"))
  }

  @Test("A folder without theme files is named together with the option that selects another")
  func emptyFolder() throws {
    let folder = try ScratchPath(isFolder: true)
    let said = try complaint(folder.path)
    #expect(said.contains("\(folder.path) holds no theme file: name one with --themes DIR"))
  }

  @Test(
    "An invalid file is named with the position of the error and the remedy",
    arguments: samples
  )
  func mistakes(_ text: String, _ problem: String) throws {
    let folder = try ScratchPath(isFolder: true)
    let file = try folder.write(text, to: "fog.json")
    #expect(try complaint(folder.path).contains("\(file): \(problem)"))
  }

  static let samples: [(String, String)] = [
    (#"{"name": "Fog", "val"#, "not complete JSON"),
    ("", "not complete JSON"),
    ("[]", "the file has the wrong type"),
    (#"{"values": {}}"#, "\"name\" is missing: add it"),
    (
      #"{"name": "Fog", "values": {"color": {"papr": "red"}}}"#,
      "\"color.papr\" is not a key of the theme; did you mean \"color.paper\"?"
    ),
    (
      ##"{"name": "Fog", "values": {"color": {"ink": "#12345"}}}"##,
      "\"color.ink\" cannot be read: \"#12345\" is not a color"
    ),
    (
      #"{"name": "Fog", "values": {"row.corner": "round"}}"#,
      "\"row.corner\" has the wrong type: write a value of type Int"
    ),
    (
      #"{"name": "Fog", "extends": "Daye"}"#,
      "The theme \"Fog\" extends \"Daye\", which is not loaded. Did you mean \"Day\"?"
    ),
    (
      #"{"name": "Fog", "values": {"color": {"ink": "{color.muted}", "muted": "{color.ink}"}}}"#,
      "The aliases of the theme \"Fog\" form a cycle"
    ),
  ]

  @Test("Of 20,000 unknown keys in a file the first eight are named and the others counted")
  func manyMistakes() throws {
    let folder = try ScratchPath(isFolder: true)
    let keys = (0..<20_000).map { "\"key\($0)\": 1" }.joined(separator: ", ")
    try folder.write("{\"name\": \"Fog\", \"values\": {\(keys)}}", to: "fog.json")
    let said = try complaint(folder.path)
    #expect(said.contains("\"key0\" is not a key of the theme"))
    #expect(said.contains("; … and 19,992 more"))
    #expect(said.utf8.count < 2_000)
  }

  @Test("A file with an error does not prevent the others from loading")
  func oneOfTwo() throws {
    let folder = try ScratchPath(isFolder: true)
    try folder.write("{", to: "a.json")
    try folder.write(#"{"name": "Fog"}"#, to: "b.json")
    let result = try Program("skins").run(["--svg", "-", "--themes", folder.path])
    #expect(result.status == 0)
    #expect(result.complaints == "")
    #expect(result.output.contains(">try manager.use(&quot;Fog&quot;)<"))
  }

  @Test("Files of other kinds in a folder are ignored")
  func otherFiles() throws {
    let folder = try ScratchPath(isFolder: true)
    try folder.write(#"{"name": "Pale"}"#, to: "a.json")
    try folder.write(#"{"name": "Old"}"#, to: "a.json.old")
    try folder.write("no theme", to: "notes.txt")
    let result = try Program("skins").run(["--themes", folder.path, "--story"])
    #expect(result.status == 0)
    #expect(result.complaints == "")
    #expect(result.output.contains("Every skin of the folder can be used: Pale\n"))
  }

  @Test("A folder with the name of a theme file is named as a folder")
  func folderAsFile() throws {
    let folder = try ScratchPath(isFolder: true)
    let result = try Program(path: "/bin/mkdir").run([folder.path + "/x.json"])
    #expect(result.status == 0)
    let said = try complaint(folder.path)
    #expect(said.contains("\(folder.path)/x.json: is a folder: give it a name that does not"))
    #expect(!said.contains("permissions"))
  }

  @Test("Files extend one another, in any order of their names")
  func chain() throws {
    let folder = try ScratchPath(isFolder: true)
    try folder.write(#"{"name": "Fog", "extends": "Mist"}"#, to: "a.json")
    try folder.write(#"{"name": "Mist", "extends": "Day"}"#, to: "b.json")
    let result = try Program("skins").run(["--svg", "-", "--themes", folder.path])
    #expect(result.status == 0)
    #expect(result.complaints == "")
  }

  @Test(
    "The story fails with the message about the user's bad file, before any line",
    arguments: [
      (#"{"name": "Mist", "values": {"row.corner": "round"}}"#, "has the wrong type"),
      ("{", "not complete JSON"),
    ]
  )
  func badFileInStory(_ text: String, _ problem: String) throws {
    let folder = try ScratchPath(isFolder: true)
    try folder.write(#"{"name": "Fine"}"#, to: "a.json")
    let file = try folder.write(text, to: "b.json")
    let result = try Program("skins").run(["--themes", folder.path, "--story"])
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.complaints.hasPrefix("skins: \(file): "))
    #expect(result.complaints.contains(problem))
  }

  @Test("The story is true with a folder of the user's valid files")
  func goodFilesInStory() throws {
    let folder = try ScratchPath(isFolder: true)
    // A contrast that would not do for a skin of the demo.
    try folder.write(
      ##"{"name": "Pale", "values": {"color": {"ink": "#ffffff", "card": "#fefefe"}}}"##,
      to: "a.json"
    )
    try folder.write(#"{"name": "Mist", "extends": "Pale"}"#, to: "b.json")
    let result = try Program("skins").run(["--themes", folder.path, "--story"])
    #expect(result.status == 0)
    #expect(result.complaints == "")
    #expect(result.output.contains("Every skin of the folder can be used: Pale, Mist"))
    #expect(!result.output.contains("WRONG"))
  }
}
#endif
