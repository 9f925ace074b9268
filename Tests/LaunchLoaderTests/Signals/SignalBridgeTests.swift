#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Signals delivered to an application")
struct SignalBridgeTests {
  @Test(
    "On a terminal Control-Z stops the program, for any descriptors, and it continues later",
    arguments: ["job", "redirected"]
  )
  func terminal(_ job: String) throws {
    let terminal = try Terminal()
    let shell = try RunningProgram(Program("SignalsFixture"), ["shell", job], terminal: terminal)
    #expect(try Set([shell.line(), shell.line()]) == ["bridged", "in the foreground"])
    for _ in 0..<2 {
      terminal.type("\u{1A}")
      #expect(try shell.line() == "background")
      #expect(try shell.line() == "stopped by \(SIGTSTP)")
      #expect(try shell.line() == "foreground")
    }
    terminal.type("\u{3}")
    #expect(try shell.line() == "interrupt 2")
  }

  @Test("A program that is interrupted while it handles Control-Z does not stop afterwards")
  func interruptedAnswer() throws {
    let terminal = try Terminal()
    let shell = try RunningProgram(
      Program("SignalsFixture"),
      ["shell", "slow"],
      terminal: terminal
    )
    #expect(try Set([shell.line(), shell.line()]) == ["bridged", "in the foreground"])
    terminal.type("\u{1A}")
    #expect(try shell.line() == "background")
    terminal.type("\u{3}")
    #expect(try Set([shell.line(), shell.line()]) == ["interrupt 2", "answered"])
    // The next request, after the stop that does not happen; it may stop the program, which ends already.
    terminal.type("\u{1A}")
    #expect(try Set([shell.line(), shell.line()]) == ["background", "answered"])
    #expect(try shell.line() == "stopped by \(SIGTSTP)")
  }
}
#endif
