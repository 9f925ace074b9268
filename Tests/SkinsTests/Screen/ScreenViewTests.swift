#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Contents of the screen of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenViewTests {
  @Test(
    "The strip names the skins as far as there is room, and always the one in use",
    arguments: [
      (40, 14, "1 Day", "2", 8), (60, 20, "1 Day", "2 Night", 5), (80, 24, "1 Day", "2 Night", 15),
      (120, 40, "1 Day", "2 Night", 15),
    ]
  )
  func strip(_ columns: Int, _ rows: Int, _ used: String, _ other: String, _ swatches: Int) throws {
    let program = try TerminalProgram.skins(columns: columns, rows: rows)
    program.type("1")
    try program.wait(for: "Day, light")
    let screen = program.screen
    #expect(screen.line(1).contains(used))
    #expect(screen.line(1).contains(other))
    let paper = screen[0, 1].style.background
    let tab = try #require(screen.place(of: used))
    #expect(tab.row == 1)
    #expect(screen[tab.column, 1].style.background != paper)
    #expect(screen[tab.column, 1].style.isBold)
    #expect((0..<columns).count { isSwatch(screen[$0, 1]) } >= swatches)
    #expect(screen.contains("8 views follow the theme"))
    #expect(screen.contains("q quit"))
    // From 80 columns on, the keys are explained.
    #expect(screen.contains("b brand  n new  d drop") == (columns >= 60))
    #expect(screen.contains("v events  ? keys  q quit") == (columns >= 80))
    #expect(screen.line(rows - 1).contains("↑↓"))
    let sender = try #require(screen.place(of: "Ada        Notes on"))
    #expect(screen.place(of: "from")?.column == sender.column)
    #expect(screen.place(of: "subject")?.column == screen.place(of: "Notes on")?.column)
  }

  private func isSwatch(_ cell: Screen.Cell) -> Bool {
    cell.style.foreground == cell.style.background
  }

  @Test(
    "A screen of 20 lines says what it shows, what the keys do, and where the second story is",
    arguments: [(60, 20), (80, 24), (120, 40)]
  )
  func introduction(_ columns: Int, _ rows: Int) throws {
    let program = try TerminalProgram.skins(columns: columns, rows: rows)
    func expectIntroduction() {
      // The lines below the strip, without the second pane.
      let words = (2..<7).map { program.screen.line($0).prefix { $0 != "│" } }.joined(
        separator: " "
      )
      let text = words.split(separator: " ").joined(separator: " ")
      #expect(text.contains("A mailbox whose views follow a theme. Each key runs a line of Swift"))
      #expect(text.contains("the views that it called are inverted for a moment."))
      #expect(text.contains("The key v shows events, and a service that hangs."))
    }
    expectIntroduction()
    // It stays when more rows than fit are there.
    program.type(String(repeating: "n", count: 40))
    try program.wait(for: "48 views")
    expectIntroduction()
  }

  @Test("The number of views is always visible, with the cause of its last change")
  func counter() throws {
    let program = try TerminalProgram.skins(columns: 40, rows: 9)
    #expect(program.screen.contains("8 views follow the theme"))
    program.type("n")
    try program.wait(for: "9 views ─ 8 → 9: added")
    program.type("d")
    try program.wait(for: "8 views ─ 9 → 8: removed")
    program.type("x")
    try program.wait(for: "7 views ─ 8 → 7: nil set")
    program.type("e1")
    try program.wait(for: "Day, light")
    #expect(program.screen.contains("7 views follow the theme"))
  }

  @Test("The rows that an action called are inverted for a moment, and no others")
  func highlight() throws {
    let program = try TerminalProgram.skins()
    let ada = try #require(program.screen.place(of: "Ada"))
    let edsger = try #require(program.screen.place(of: "Edsger"))
    let cards = [ada, edsger].map { program.screen[$0.column, $0.row].style.background }
    program.type("b")
    let ink = Screen.Color.direct(0xd8, 0xde, 0xe9)
    try program.wait(for: "highlight") { $0[ada.column, ada.row].style.background == ink }
    let screen = program.screen
    #expect(screen[edsger.column, edsger.row].style.background == cards[1])
    // The edited color is another one than that of the highlight, and is visible within it.
    #expect(screen[ada.column - 2, ada.row].style.foreground == .direct(0xd8, 0x5b, 0x9a))
    let called = try #require(screen.place(of: "4 of 8 views called"))
    #expect(screen[called.column, called.row].style.background == ink)
    #expect(screen[called.column + 19, called.row].style.background != ink, "the comma after it")
    try program.wait(for: "no highlight") {
      $0[ada.column, ada.row].style.background == cards[0]
        && $0[called.column, called.row].style.background != ink
    }
  }

  @Test("A screen of 100 columns has a second pane with views, changed keys and actions")
  func pane() throws {
    let program = try TerminalProgram.skins(columns: 120, rows: 40)
    #expect(program.screen.contains("SUBSCRIPTIONS"))
    #expect(program.screen.contains("Ada        6  card ink muted corner"))
    program.type("1")
    try program.wait(for: "Day, light")
    program.type("x")
    try program.wait(for: "7 views")
    #expect(program.screen.contains("color.paper"))
    let key = try #require(program.screen.place(of: "#0f131d →"))
    #expect(program.screen[key.column - 2, key.row].style.background == .direct(0x0f, 0x13, 0x1d))
    #expect(program.screen.contains("#f3eada"))
    #expect(!program.screen.contains("Katherine  4"))
    let first = try #require(program.screen.place(of: "│ row.themeMap = nil"))
    let second = try #require(program.screen.place(of: "│ try manager.use(\"Day\")"))
    #expect(first.row + 1 == second.row)
    program.resize(columns: 99, rows: 40)
    try program.wait(for: "no pane") { !$0.contains("SUBSCRIPTIONS") && $0.contains("Ada") }
  }

  @Test(
    "The second pane does not cover the line of the keys, however little room it has",
    arguments: 9...40
  )
  func lowPane(_ rows: Int) throws {
    let program = try TerminalProgram.skins(columns: 100, rows: rows)
    let keys = program.screen.line(rows - 1)
    #expect(keys.hasPrefix("  1-5 skin") && keys.hasSuffix("q quit"))
    #expect(program.screen.contains("SUBSCRIPTIONS"))
    #expect(program.screen.contains("frame      4") || program.screen.contains("… and 8 more"))
    program.type("nnnnn2")
    try program.wait(for: "0 of 13 views called")
    #expect(program.screen.line(rows - 1) == keys)
    program.type("1")
    try program.wait(for: "Day, light")
    #expect(program.screen.line(rows - 1) == keys)
  }

  @Test("A second highlight lasts its own time, and one end follows a burst")
  func highlights() throws {
    let program = try TerminalProgram.skins()
    program.type(String(repeating: "b", count: 30))
    try program.wait(for: "4 of 8 views called, 4 skipped")
    let ada = try #require(program.screen.place(of: "Ada"))
    let card = Screen.Color.direct(0x19, 0x1f, 0x2e)
    try program.wait(for: "no highlight") { $0[ada.column, ada.row].style.background == card }
    let frames = program.screen.frameCount
    program.type("e")
    try program.wait(for: "│")
    #expect(program.screen.frameCount == frames + 1)
  }

  @Test("A click on a screen that is too small does nothing")
  func smallClick() throws {
    let program = try TerminalProgram.skins(columns: 3, rows: 24)
    program.type("\u{1b}[<0;1;6M")
    program.resize(columns: 80, rows: 24)
    try program.wait(for: "Night, dark")
    #expect(!program.screen.contains("▸"))
    program.type("q")
    #expect(try program.waitForEnd() == 0)
  }

  @Test("Keys act on the selected row; escape ends the selection")
  func selection() throws {
    let program = try TerminalProgram.skins()
    program.type("\u{1b}[B\u{1b}[B")
    try program.wait(for: "▸")
    program.type("d")
    try program.wait(for: "rows.remove(at: 1)")
    #expect(!program.screen.contains("Grace"))
    #expect(program.screen.place(of: "▸")?.row == program.screen.place(of: "Edsger")?.row)
    program.type("x")
    try program.wait(for: "×")
    #expect(program.screen.place(of: "×")?.row == program.screen.place(of: "Edsger")?.row)
    program.type("x")
    try program.wait(for: "this row follows no theme")
    program.type("\u{1b}")
    try program.wait(for: "no selection") { !$0.contains("▸") }
    program.type("d")
    try program.wait(for: "rows.removeLast()")
    #expect(!program.screen.contains("Katherine"))
  }

  @Test("A click selects a row or a skin, and elsewhere does nothing")
  func mouse() throws {
    let program = try TerminalProgram.skins()
    #expect(program.screen.modes.reportsMouse)
    #expect(program.screen.modes.reportsMouseInDecimal)
    func click(_ text: String) throws {
      let place = try #require(program.screen.place(of: text))
      program.type("\u{1b}[<0;\(place.column + 1);\(place.row + 1)M\u{1b}[<0;1;1m")
    }
    try click("Barbara")
    try program.wait(for: "▸")
    #expect(program.screen.place(of: "▸")?.row == program.screen.place(of: "Barbara")?.row)
    try click("4 Contrast")
    try program.wait(for: "Contrast, dark")
    program.type("\u{1b}[<0;500;500M\u{1b}[<0;1;1M")
    try click("Barbara")
    try program.wait(for: "no selection") { !$0.contains("▸") }
  }

  @Test("A burst of keys makes one frame")
  func burst() throws {
    let program = try TerminalProgram.skins()
    let frames = program.screen.frameCount
    program.type(String(repeating: "n", count: 40))
    try program.wait(for: "48 views")
    // The terminal may pass the burst on in two pieces, and the highlight ends in a separate frame.
    #expect(program.screen.frameCount - frames <= 3)
  }
}
#endif
