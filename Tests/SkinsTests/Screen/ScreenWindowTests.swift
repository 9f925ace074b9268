#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Window size of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenWindowTests {
  @Test("A new size repaints the whole picture")
  func resize() throws {
    let program = try TerminalProgram.skins()
    for (columns, rows) in [(120, 40), (50, 12), (80, 24)] {
      program.resize(columns: columns, rows: rows)
      try program.wait(for: "\(columns) by \(rows)") {
        $0.cellsPerFrame.last == columns * rows && $0.line(rows - 1).contains("1-5 skin")
      }
      #expect(program.screen.line(0).hasSuffix("Night, dark"))
      #expect(program.screen.contains("Ada"))
    }
  }

  @Test(
    "A window that is too small shows that as far as there is room",
    arguments: [(10, 3), (1, 1), (39, 8)]
  )
  func small(_ columns: Int, _ rows: Int) throws {
    let program = try TerminalProgram.skins(columns: columns, rows: rows)
    let words = columns < 9 ? "…" : "too small"
    #expect(program.screen.line(rows / 2) == words)
    program.type("3")
    program.resize(columns: 80, rows: 24)
    try program.wait(for: "Ember, dark")
    #expect(program.screen.line(23).contains("1-5 skin"))
    program.resize(columns: columns, rows: rows)
    try program.wait(for: words)
    program.type("q")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("Rows that do not fit are counted")
  func manyRows() throws {
    let program = try TerminalProgram.skins(columns: 60, rows: 12)
    program.type("nnnn")
    try program.wait(for: "… and 5 more")
  }

  @Test("Rows scroll so that the selected one is shown, and both ends count the hidden ones")
  func scrolling() throws {
    let program = try TerminalProgram.skins(columns: 60, rows: 12)
    program.type("nnnnnnnn")
    try program.wait(for: "… and 9 more")
    program.type(String(repeating: "\u{1b}[B", count: 6))
    try program.wait(for: "the sixth row, selected") { screen in
      screen.contains("▸") && screen.place(of: "▸")?.row == screen.place(of: "Katherine")?.row
    }
    #expect(program.screen.contains("… 3 above"))
    #expect(program.screen.contains("… and 7 more"))
    program.type("\u{1b}[A\u{1b}[B\u{1b}[<65;5;5M\u{1b}[<65;5;5M\u{1b}[<65;5;5M\u{1b}[<65;5;5M")
    try program.wait(for: "the last row") { !$0.contains("more") && $0.contains("▸") }
    #expect(program.screen.contains("… 9 above"))
    program.type(String(repeating: "\u{1b}[<64;5;5M", count: 20))
    try program.wait(for: "the first row") { !$0.contains("above") && $0.contains("▸") }
    #expect(program.screen.place(of: "▸")?.row == program.screen.place(of: "Ada")?.row)
  }
}
#endif
