#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Keys of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenKeysTests {
  @Test("The first screen shows the system skin, rows, a line of Swift and the keys")
  func beginning() throws {
    let program = try TerminalProgram.skins()
    #expect(program.screen.line(0).hasSuffix("Night, dark"))
    #expect(program.screen.contains("Ada        Notes on the engine, part G"))
    #expect(program.screen.line(23).contains("1-5 skin"))
    #expect(program.screen.modes.isAlternate)
    #expect(!program.screen.modes.showsCursor)
    #expect(try !program.modes.values.echoes)
    #expect(try !program.modes.values.isByLine)
    #expect(try program.modes.values.hasSignals)
    #expect(program.screen.unknown.isEmpty)
  }

  @Test("A number key selects a skin and shows how many views changed")
  func skins() throws {
    let program = try TerminalProgram.skins()
    program.type("3")
    try program.wait(for: "Ember, dark")
    #expect(program.screen.contains("try manager.use(\"Ember\")"))
    #expect(program.screen.contains("8 of 8 views called, 0 skipped"))
    program.type("b")
    try program.wait(for: "4 of 8 views called, 4 skipped")
    #expect(program.screen.contains("try manager.edit { $0[.brand] = RGBA(0xd85b9a) }"))
    program.type("5")
    try program.wait(for: "Fog, light")
    #expect(program.screen.contains("8 of 8 views called, 0 skipped"))
    program.type("4")
    try program.wait(for: "Contrast, dark")
    program.type("1")
    try program.wait(for: "Day, light")
    program.type("11")
    try program.wait(for: "0 of 8 views called, 8 skipped")
    program.type("2")
    try program.wait(for: "Night, dark")
  }

  @Test("A new row is themed, and a removed row is unsubscribed")
  func birthAndDeath() throws {
    let program = try TerminalProgram.skins()
    program.type("3n")
    try program.wait(for: "1 of 9 views called, 8 skipped")
    try program.wait(for: "the look of the other rows") { screen in
      guard let new = screen.place(of: "Margaret"), let old = screen.place(of: "Ada") else {
        return false
      }
      return screen[new.column, new.row].style == screen[old.column, old.row].style
    }
    program.type("d")
    try program.wait(for: "9 views followed the theme, now 8; no deinit is written")
    #expect(!program.screen.contains("Margaret"))
    program.type("ddddddd")
    try program.wait(for: "there is no row left")
    program.type("1")
    try program.wait(for: "2 of 2 views called, 0 skipped")
  }

  @Test("A row whose map is nil keeps its look through a switch")
  func detached() throws {
    let program = try TerminalProgram.skins()
    let place = try #require(program.screen.place(of: "Katherine"))
    let style = program.screen[place.column, place.row].style
    program.type("x")
    try program.wait(for: "8 views followed the theme, now 7; it keeps its look")
    program.type("1")
    try program.wait(for: "7 of 7 views called, 0 skipped")
    #expect(program.screen[place.column, place.row].style == style)
    program.type("xxxxxx")
    try program.wait(for: "no row follows the theme")
  }

  @Test("The pinned rows get their own look and lose it again")
  func scope() throws {
    let program = try TerminalProgram.skins()
    program.type("o")
    try program.wait(for: "map.scoped")
    let ada = try #require(program.screen.place(of: "Ada"))
    let alan = try #require(program.screen.place(of: "Alan"))
    let teal = Screen.Color.direct(0x2f, 0xa8, 0x9a)
    func wait(for color: Screen.Color) throws {
      try program.wait(for: "\(color)") { $0[ada.column, ada.row].style.foreground == color }
    }
    try wait(for: teal)
    #expect(program.screen[alan.column, alan.row].style.foreground == .direct(0xd8, 0xde, 0xe9))
    program.type("1")
    try program.wait(for: "Day, light")
    try wait(for: teal)
    program.type("o")
    try program.wait(for: "row.themeMap = map ")
    try wait(for: .direct(0x2b, 0x26, 0x20))
  }

  @Test("A panel explains a key, follows the skin, and closes with its key or escape")
  func panel() throws {
    let program = try TerminalProgram.skins()
    program.type("e")
    try program.wait(for: "│ color.brand = #88b4ff (Night)      │")
    #expect(program.screen.contains("│ color.accent → color.brand (Night) │"))
    #expect(program.screen.contains("manager.theme.explain(.accent)"))
    program.type("3")
    try program.wait(for: "│ color.brand = #ff9e57 (Ember)      │")
    program.type("\u{1b}")
    try program.wait(for: "the panel is closed")
    #expect(!program.screen.contains("│"))
    // The line of Swift is that of the closing, not of the action before it.
    #expect(program.screen.contains("mailbox.closePanel()"))
    #expect(!program.screen.contains("manager.use"))
    program.type("e")
    try program.wait(for: "│")
    program.type("e")
    try program.wait(for: "the panel is closed")
    #expect(!program.screen.contains("│"))
    #expect(!program.screen.contains("explain(.accent)"))
  }

  @Test("The question mark and h show the keys and hide them again", arguments: ["?", "h"])
  func keys(_ key: String) throws {
    let program = try TerminalProgram.skins(columns: 40, rows: 14)
    program.type(key)
    try program.wait(for: "│ n add a row · d drop a row")
    for part in [
      "1-5 use a skin", "↑↓ or click: select", "s follow terminal", "v events and services",
      "q quit",
    ] {
      #expect(program.screen.contains(part))
    }
    program.type(key)
    try program.wait(for: "the panel is closed")
    #expect(!program.screen.contains("│"))
  }

  @Test("Invalid input and pasted text are not keys")
  func junk() throws {
    let program = try TerminalProgram.skins()
    #expect(program.screen.modes.marksPastes)
    program.type([0xff, 0xc0, 0x80, 0x00])
    program.type("\u{1b}[200~qqqddd\u{1b}[201~\u{1b}[15~zZ\u{1b}Pq\u{1b}\\n")
    try program.wait(for: "1 of 9 views called, 8 skipped")
  }

  @Test("Without theme files, their key explains why, and the program continues")
  func noFiles() throws {
    let program = try TerminalProgram.skins(["--themes", "/nowhere"])
    program.type("5")
    try program.wait(for: "│ /nowhere cannot be read: name a folder with --themes DIR │")
    program.type("1")
    try program.wait(for: "Day, light")
    #expect(!program.screen.contains("│"))
  }

  @Test("Problems of a theme file are shown in full, on as many lines as necessary")
  func wrongFile() throws {
    let folder = try ScratchPath(isFolder: true)
    let file = try folder.write(
      #"{"name": "Fog", "values": {"row.corner": "round"}}"#,
      to: "f.json"
    )
    let program = try TerminalProgram.skins(["--themes", folder.path], columns: 50)
    program.type("5")
    try program.wait(for: "no skin came from a file")
    let said = (0..<24).map(program.screen.line).filter { $0.contains("│") }
      .flatMap { $0.split(separator: "│").dropFirst($0.hasPrefix("│") ? 0 : 1).prefix(1) }
      .flatMap { $0.split(separator: " ") }.joined(separator: " ")
    let problem = "\"row.corner\" has the wrong type: write a value of type Int"
    #expect(said == "\(file): \(problem)")
  }

  @Test("A key changes only the necessary part of the screen")
  func frames() throws {
    let program = try TerminalProgram.skins()
    let first = try #require(program.screen.cellsPerFrame.last)
    program.type("e")
    try program.wait(for: "┐")
    let last = try #require(program.screen.cellsPerFrame.last)
    #expect(first == 80 * 24)
    #expect(last < 300)
  }
}
#endif
