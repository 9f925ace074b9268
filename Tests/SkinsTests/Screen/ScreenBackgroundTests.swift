#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Terminal background of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenBackgroundTests {
  @Test("The terminal's reply selects Day or Night, and the system key selects it again")
  func answers() throws {
    for (background, skin) in [(Background.light, "Day, light"), (.dark, "Night, dark")] {
      let program = try TerminalProgram.skins(background: background)
      #expect(program.screen.line(0).hasSuffix(skin))
      program.type("4")
      try program.wait(for: "Contrast, dark")
      program.type("s")
      try program.wait(for: skin)
      #expect(program.screen.contains("manager.appearancePreference = .system"))
    }
  }

  @Test("A terminal that never replies is dark after a bounded wait")
  func noAnswer() throws {
    let program = try TerminalProgram.skins(background: nil)
    #expect(program.screen.commands == ["11;?"])
    #expect(program.screen.line(0).hasSuffix("Night, dark"))
    program.type("s")
    try program.wait(for: "The terminal does not say if it is light or dark: dark is assumed")
  }

  @Test("Keys typed before and around the reply are not lost")
  func keysMeanwhile() throws {
    let program = try TerminalProgram(
      Program("skins"),
      environment: ["TERM=xterm-256color", "COLORTERM=truecolor"]
    )
    try program.wait(for: "question") { $0.commands.contains("11;?") }
    program.type("n" + Background.light.rawValue + "n")
    try program.wait(for: "1 of 10 views called, 9 skipped")
    #expect(program.screen.line(0).hasSuffix("Day, light"))
  }

  @Test("A skin chosen before the reply stays until the system skin is selected")
  func chosen() throws {
    let program = try TerminalProgram.skins(background: nil)
    program.type("3")
    try program.wait(for: "Ember, dark")
    program.type(Background.light.rawValue + "n")
    try program.wait(for: "1 of 9 views called, 8 skipped")
    #expect(program.screen.line(0).hasSuffix("Ember, dark"))
    program.type("s")
    try program.wait(for: "Day, light")
  }

  @Test("A late reply in several pieces still counts, and no piece of it is a key")
  func late() throws {
    let program = try TerminalProgram.skins(background: nil)
    let frames = program.screen.frameCount
    for byte in Background.light.rawValue.utf8 { program.type([byte]) }
    try program.wait(for: "Day, light")
    #expect(program.screen.contains("manager.systemAppearance = .light"))
    // One frame for the skin; a second one ends the highlight of the views called.
    #expect(program.screen.frameCount - frames <= 2)
  }
}
#endif
