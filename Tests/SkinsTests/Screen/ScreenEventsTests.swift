#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("Events and services on the screen of skins", .serialized, .timeLimit(.minutes(5)))
struct ScreenEventsTests {
  private let pause = "space runs the next line of Swift"
  /// A text of each step.
  private let stepsBeforeTheHang = [
    "A bus with a name: mail, no handlers", "handlers of Badge and Window", "2 called, 1 unread",
    "1 called", "sync after database", "sync starting, sync ready",
  ]

  /// Waits until a step has run and the next one waits.
  private func runStep(_ program: TerminalProgram, until text: String) throws {
    program.type(" ")
    try wait(program, for: text) { $0.contains(pause) }
  }

  /// Waits for a text that may be on several lines.
  private func wait(
    _ program: TerminalProgram,
    for text: String,
    and isThere: (Screen) -> Bool = { _ in true }
  ) throws {
    try program.wait(for: text) { screen in
      let words = screen.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      return words.contains(text) && isThere(screen)
    }
  }

  @Test("The argument begins with the second screen, which says what it shows and what to press")
  func beginning() throws {
    let program = try TerminalProgram.skins(["events"])
    try program.wait(for: pause)
    #expect(program.screen.line(0).hasPrefix("  Events and services"))
    #expect(program.screen.line(1).contains("A bus whose handlers end with their owners"))
    #expect(program.screen.line(23).hasPrefix("  space next step"))
    #expect(program.screen.line(23).hasSuffix("v mailbox  q quit"))
    program.type("q")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  @Test("A handler goes with its owner, and a service that hangs is cancelled and named")
  func story() throws {
    let program = try TerminalProgram.skins(["events"], columns: 100, rows: 40)
    try program.wait(for: pause)
    for text in stepsBeforeTheHang { try runStep(program, until: text) }
    #expect(program.screen.contains("window = nil"))
    program.type(" ")
    // Keys while the limits pass neither run a step nor wait for one.
    try program.wait(for: "running; the limits of the services are 1 s each")
    program.type("   ")
    try wait(program, for: "Service \"sync\" is cancelled: it did not stop within 1 s.")
    try wait(program, for: "Service \"sync\" did not stop")
    try wait(program, for: "database stopping, database ended")
    try program.wait(for: pause)
    try runEnd(program)
    program.type(" ")
    try program.wait(for: "the story from its beginning") {
      !$0.contains("sync") && $0.contains(pause)
    }
    program.type("q")
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }

  private func runEnd(_ program: TerminalProgram) throws {
    program.type(" ")
    try wait(program, for: "AppHost failed: Service \"sync\" did not stop")
    try program.wait(for: "the end: space begins again")
    #expect(!program.screen.contains("expected:"))
  }

  @Test("The key v changes between the screens, and keys of the mailbox do nothing on the second")
  func change() throws {
    let program = try TerminalProgram.skins()
    program.type("v")
    try program.wait(for: pause)
    program.type("nd 1")
    try program.wait(for: "mail, no handlers")
    #expect(program.screen.line(0).hasSuffix("Day, light"))
    program.type("v")
    try program.wait(for: "8 views follow the theme")
    program.type("v")
    try program.wait(for: "mail, no handlers")
    program.type("\u{1b}")
    try program.wait(for: "8 views follow the theme")
  }

  @Test("A story that is longer than the screen shows its end, and scrolls")
  func scrolling() throws {
    let program = try TerminalProgram.skins(["events"], columns: 60, rows: 12)
    try program.wait(for: pause)
    for text in ["no handlers", "and Window", "2 called", "1 called", "sync after database"] {
      try runStep(program, until: text)
    }
    #expect(!program.screen.contains("let bus"))
    program.type(String(repeating: "\u{1b}[A", count: 40))
    try program.wait(for: "let bus")
    program.type(String(repeating: "\u{1b}[<65;5;5M", count: 20))
    try program.wait(for: "the end") {
      $0.contains("sync after database") && !$0.contains("let bus")
    }
  }

  @Test("A request to end ends skins while its service hangs")
  func endDuringHang() throws {
    let program = try TerminalProgram.skins(["events"], columns: 100, rows: 40)
    try program.wait(for: pause)
    for text in stepsBeforeTheHang { try runStep(program, until: text) }
    program.type(" ")
    try program.wait(for: "running; the limits of the services are 1 s each")
    program.signal(SIGTERM)
    #expect(try program.waitForEnd() == 0)
    #expect(try program.isAsBefore)
  }
}
#endif
