#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// However it ends, the terminal is as it was.
@Suite("Terminal restored on every exit of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenWaysOutTests {
  /// Disables Swift's crash reporter, which would prompt for an action.
  private let environment = [
    "TERM=xterm-256color", "COLORTERM=truecolor", "PATH=/usr/bin:/bin",
    "SWIFT_BACKTRACE=enable=no",
  ]

  /// Signals that end a program.
  private static let deadly: [Int32] = {
    let common = [
      SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
      SIGPIPE, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF,
    ]
    #if os(Linux)
    // SIGSTKFLT, and the first, a middle and the last of the real-time signals. Elsewhere SIGIO is ignored.
    return common + [SIGIO, SIGPWR, 16, 34, 50, 64]
    #else
    return common
    #endif
  }()

  @Test("Quitting restores the terminal")
  func quit() throws {
    let program = try TerminalProgram.skins()
    #expect(try !program.isAsBefore)
    program.type("q")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("A request to end and an interrupt restore the terminal", arguments: [SIGTERM, SIGINT])
  func signals(_ number: Int32) throws {
    let program = try TerminalProgram.skins()
    program.signal(number)
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("Control-C restores the terminal")
  func controlC() throws {
    let program = try TerminalProgram.skins()
    program.type("\u{3}")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("Ending before the terminal has replied restores it")
  func early() throws {
    let program = try TerminalProgram(Program("skins"), environment: environment)
    try program.wait(for: "question") { $0.commands.contains("11;?") }
    program.signal(SIGTERM)
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test(
    "A trap and every unhandled signal restore the terminal",
    arguments: deadly
  )
  func traps(_ number: Int32) throws {
    let program = try startWithoutCore(environment)
    program.signal(number)
    #expect(try program.waitForEnd() == -number)
    #expect(try program.isAsBefore)
  }

  @Test("Traps and signals restore the terminal when Swift's crash reporter is on")
  func reporter() throws {
    let program = try startWithoutCore(
      environment.dropLast() + ["SWIFT_BACKTRACE=enable=yes,interactive=no,color=no"]
    )
    program.signal(SIGILL)
    #expect(try program.waitForEnd() == -SIGILL)
    #expect(try program.modes.values == program.modesBefore)
    #expect(program.screen.modes == Screen.Modes())
  }

  @Test(
    "Control-\\ and SIGQUIT restore the terminal when Swift's crash reporter is on",
    arguments: [true, false]
  )
  func quitSignal(_ isTyped: Bool) throws {
    let program = try startWithoutCore(
      environment.dropLast() + ["SWIFT_BACKTRACE=enable=yes,interactive=no,color=no"]
    )
    if isTyped { program.type("\u{1c}") } else { program.signal(SIGQUIT) }
    #expect(try program.waitForEnd() == -SIGQUIT)
    #expect(try program.isAsBefore)
    #expect(!program.screen.contains("crashed"))
  }

  /// Starts skins so that its end leaves no file for a debugger.
  private func startWithoutCore(_ environment: [String]) throws -> TerminalProgram {
    let program = try TerminalProgram(
      Program(path: "/bin/sh"),
      ["-c", "ulimit -c 0; exec \"$0\"", Program("skins").path],
      environment: environment
    )
    try program.answer(.light)
    try program.wait(for: "Day, light")
    return program
  }

  @Test("The third request ends skins while its output is blocked")
  func blocked() throws {
    let program = try TerminalProgram.skins()
    program.modes.stopOutput()
    program.type("n")
    let status = try program.signalUntilEnd([SIGTERM, SIGINT])
    // With 0 it was not blocked yet when the first one arrived.
    #expect([0, 128 + SIGTERM, 128 + SIGINT].contains(status))
    #expect(try program.modes.values == program.modesBefore)
  }

  /// Starts skins in a shell with a script, shows a third skin, and presses Control-Z.
  private func stopped(in script: String) throws -> TerminalProgram {
    let program = try TerminalProgram(
      Program(path: "/bin/sh"),
      ["-c", script, Program("skins").path],
      environment: environment
    )
    try program.answer(.dark)
    try program.wait(for: "Night, dark")
    program.type("3")
    try program.wait(for: "Ember, dark")
    program.type("\u{1a}")
    return program
  }

  @Test("Control-Z restores the terminal, and the foreground repaints everything")
  func stopAndContinue() throws {
    // The shell has the job control that stopping needs.
    let script = "set -m; \"$0\"; echo \"stopped: $?\"; read line; fg; echo \"ended: $?\""
    let program = try stopped(in: script)
    try program.wait(for: "stopped: \(128 + SIGTSTP)")
    #expect(try program.isAsBefore)
    #expect(!program.screen.contains("Ember"))
    program.type("\n")
    try program.wait(for: "Ember, dark")
    #expect(program.screen.cellsPerFrame.last == 80 * 24)
    #expect(program.screen.modes.isAlternate)
    #expect(try !program.modes.values.echoes)
    program.type("n")
    try program.wait(for: "1 of 9 views called, 8 skipped")
    program.type("q")
    try program.wait(for: "ended: 0")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("In the background skins does not touch the terminal and stops until it is resumed")
  func background() throws {
    let script = """
      set -m; "$0"; bg; echo sent; read line; echo got $line; read line; fg; echo ended: $?
      """
    let program = try stopped(in: script)
    try program.wait(for: "sent")
    try program.waitForStoppedChild()
    program.type("hello\n")
    try program.wait(for: "got hello")
    #expect(try program.isAsBefore)
    program.type("\n")
    try program.wait(for: "Ember, dark")
    program.type("q")
    try program.wait(for: "ended: 0")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("Stopped by SIGSTOP, skins takes the terminal again when it continues")
  func silentStop() throws {
    let program = try TerminalProgram.skins()
    let frames = program.screen.frameCount
    program.signal(SIGSTOP)
    program.signal(SIGCONT)
    try program.wait(for: "another frame") { $0.frameCount > frames }
    #expect(program.screen.cellsPerFrame.last == 80 * 24)
    program.type("q")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("A terminal that hangs up ends skins")
  func hangUp() throws {
    let program = try TerminalProgram.skins()
    program.unplug()
    // The end of the input and the signal come together. The signal asks for an orderly end with 0; the
    // end of the input, for one with the status of a hang-up.
    #expect([0, 128 + SIGHUP, -SIGHUP].contains(try program.waitForEnd()))
  }

  @Test("A hang-up signal with a live terminal reloads the theme files")
  func reload() throws {
    let folder = try ScratchPath(isFolder: true)
    let program = try TerminalProgram.skins(["--themes", folder.path])
    program.type("5")
    try program.wait(for: "no skin came from a file")
    try folder.write(#"{"name": "Rain", "extends": "Day"}"#, to: "rain.json")
    program.signal(SIGHUP)
    try program.wait(for: "the theme files were read again")
    program.type("5")
    try program.wait(for: "Rain, light")
    program.type("q")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }
}
#endif
