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
    "Too small a window says so as far as there is room",
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
    try program.wait(for: "… and 4 more")
  }
}
#endif
