#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Colors of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenColorTests {
  private func colors(_ screen: Screen) -> Set<Screen.Color?> {
    var colors: Set<Screen.Color?> = []
    for row in 0..<screen.rows {
      for column in 0..<screen.columns {
        let style = screen[column, row].style
        colors.formUnion([style.foreground, style.background])
      }
    }
    return colors
  }

  @Test("On a true-color terminal the colors are those of the skin")
  func trueColor() throws {
    let program = try TerminalProgram.skins()
    #expect(program.screen[0, 0].style.background == .direct(0x24, 0x2c, 0x42))
    #expect(colors(program.screen).allSatisfy { if case .direct = $0 { true } else { false } })
  }

  @Test("With 256 colors, none of the sixteen user-defined ones is used")
  func palette() throws {
    let ways = [
      (["TERM=xterm-256color"], []), (["TERM=xterm", "NO_COLOR=1"], ["--color", "256"]),
    ]
    for (environment, arguments) in ways {
      let program = try TerminalProgram.skins(arguments, environment: environment)
      for color in colors(program.screen) {
        guard case .indexed(let index) = color, index >= 16 else {
          Issue.record("\(String(describing: color))")
          continue
        }
      }
    }
  }

  @Test("With sixteen colors, only those are used, and text is legible on its background")
  func named() throws {
    let program = try TerminalProgram.skins(environment: ["TERM=xterm"])
    for key in ["1", "2", "3", "4", "5"] {
      program.type(key)
      try program.wait(for: "try manager.use")
      for color in colors(program.screen) {
        guard case .indexed(let index) = color, index < 16 else {
          Issue.record("\(String(describing: color))")
          continue
        }
      }
      for row in 0..<24 {
        for column in 0..<80 where program.screen[column, row].scalar != " " {
          let style = program.screen[column, row].style
          #expect(style.foreground != style.background)
        }
      }
    }
  }

  @Test("With NO_COLOR or the option for none, there are no colors and no background query")
  func none() throws {
    let ways = [
      (["TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=1"], []),
      (["TERM=xterm-256color"], ["--color=never"]),
    ]
    for (environment, arguments) in ways {
      let program = try TerminalProgram.skins(
        arguments,
        environment: environment,
        background: nil
      )
      #expect(colors(program.screen) == [nil])
      #expect(program.screen[2, 0].style.isReversed)
      #expect(program.screen.commands.isEmpty)
      program.type("1")
      try program.wait(for: "Day, light")
    }
  }

  @Test("On a terminal without cursor movement, skins prints the story", arguments: ["dumb", ""])
  func dumb(_ kind: String) throws {
    let program = try TerminalProgram(Program("skins"), environment: ["TERM=\(kind)"])
    #expect(try program.waitForEnd() == 0)
    #expect(program.screen.contains("lines are true."))
    #expect(!program.bytes.contains(0x1b))
  }
}
#endif
