#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// Signals that really come, to an application that was built beside the tests.
@Suite("Application and the signals of its process", .timeLimit(.minutes(5)))
struct AppHostProcessTests {
  /// Starts the application, and reads its lines to one of them.
  private func start(_ kind: String, until line: String = "active") throws -> RunningProgram {
    let program = try RunningProgram(Program("ApplicationFixture"), [kind])
    _ = try read(program, until: line)
    return program
  }

  /// Reads lines to one of them.
  private func read(_ program: RunningProgram, until last: String) throws -> [String] {
    var lines: [String] = []
    while lines.last != last { lines.append(try program.line()) }
    return lines
  }

  /// Sends a signal that stops the application, and reads its lines to the last one.
  @discardableResult
  private func stop(_ program: RunningProgram, _ signal: Int32 = SIGTERM) throws -> [String] {
    program.signal(signal)
    return try read(program, until: "ended with 0")
  }

  @Test(
    "The first signal stops the application in order; after the run signals act as before",
    arguments: [SIGTERM, SIGINT]
  )
  func terminate(signal: Int32) throws {
    let program = try start("plain")
    let lines = try stop(program, signal)
    #expect(lines.contains("asked"))
    #expect(lines.contains("terminated"))
    program.signal(signal)
    #expect(try program.wait() == -signal)
  }

  @Test(
    "After the run a signal ends the process, even if other code restores the handler",
    arguments: [SIGTERM, SIGINT]
  )
  func handlerPutBack(signal: Int32) throws {
    let program = try start("keeper")
    program.signal(signal)
    _ = try read(program, until: "put back")
    program.signal(signal)
    #expect(try program.wait() == -signal)
  }

  @Test("A signal during the launch skips work that has not begun and ends the application")
  func terminateWhileLaunching() throws {
    let program = try start("launching", until: "working")
    #expect(!(try stop(program)).contains("active"))
  }

  @Test("The second signal cancels, and the exit code names the signal")
  func twice() throws {
    let program = try start("stubborn")
    program.signal(SIGTERM)
    _ = try read(program, until: "asked")
    program.signal(SIGTERM)
    #expect(try read(program, until: "ended with 143").contains("cancelled"))
  }

  @Test("One interrupt that arrives twice stops the application in order: nothing is cut short")
  func doubled() throws {
    for (first, second) in [(SIGINT, SIGINT), (SIGINT, SIGTERM), (SIGTERM, SIGUSR1)] {
      let program = try start("saving")
      program.signal(first)
      _ = try read(program, until: "saving")
      program.signal(second)
      program.signal(SIGWINCH)
      // The thread that reads signals has read this one, which came last.
      _ = try read(program, until: "resized")
      program.send("go on")
      #expect(try read(program, until: "ended with 0").contains("saved"))
    }
  }

  @Test(
    "A signal that other code handles while services start is named",
    arguments: ["taken", "ignoring"]
  )
  func taken(kind: String) throws {
    let program = try start(kind)
    program.signal(SIGINT)
    _ = try read(program, until: "ended with 0")
    let lines = try program.standardError.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.contains("Other code now handles SIGTERM") == true)
  }

  @Test("The third signal ends the process at once, even if it is blocked")
  func threeTimes() throws {
    let program = try start("abandoned")
    program.signal(SIGTERM)
    _ = try read(program, until: "asked")
    // Signals of one kind that come together are one.
    program.signal(SIGINT)
    program.signal(SIGTERM)
    #expect([128 + SIGTERM, 128 + SIGINT].contains(try program.wait()))
  }

  @Test("The third signal ends the process even if all concurrency threads are blocked")
  func blockedThreads() async throws {
    let program = try start("blocked", until: "blocks")
    try await endByThreeSignals(program)
  }

  /// Sends signals of three kinds, which never become one, to a program that can do nothing else.
  private func endByThreeSignals(_ program: RunningProgram) async throws {
    await program.rest()
    for signal in [SIGTERM, SIGUSR1, SIGINT] { program.signal(signal) }
    #expect(try program.wait() >= 128)
  }

  @Test("The third signal ends the process even if a thread holds the lock of standard output")
  func fullPipe() async throws {
    let program = try RunningProgram(Program("ApplicationFixture"), ["full"])
    while try program.byte() != UInt8(ascii: "x") {}
    try await endByThreeSignals(program)
  }

  @Test("A hang-up before the stop has no effect after it and does not count as an interrupt")
  func hangupBeforeTheStop() throws {
    let program = try start("reloading")
    program.signal(SIGHUP)
    _ = try read(program, until: "begins")
    for _ in 0..<3 { program.signal(SIGHUP) }
    program.signal(SIGTERM)
    _ = try read(program, until: "stopping")
    program.signal(SIGINT)
    _ = try read(program, until: "ended with 130")
    #expect(try program.ask("alive") == "alive")
    #expect(
      try program.standardError.contains("Abandoned: handlers of application.shouldReload")
    )
  }

  @Test("A hang-up signal ignored when the program started stays ignored")
  func ignoredHangup() throws {
    let fixture = try Program("ApplicationFixture").path
    let program = try RunningProgram(
      Program(path: "/bin/sh"),
      ["-c", "trap '' HUP; exec \"$0\" plain", fixture]
    )
    _ = try read(program, until: "active")
    program.signal(SIGHUP)
    program.signal(SIGWINCH)
    #expect(try program.line() == "resized")
    #expect(!(try stop(program)).contains("reloaded"))
  }

  @Test("A hang-up stops the program in order if its terminal is gone")
  func hangupOfTheTerminal() throws {
    var terminal: Terminal? = try Terminal()
    let program = try RunningProgram(Program("ApplicationFixture"), ["plain"], terminal: terminal)
    _ = try read(program, until: "active")
    program.signal(SIGHUP)
    _ = try read(program, until: "reloaded")
    withExtendedLifetime(terminal) {}
    terminal = nil
    #expect(!(try read(program, until: "ended with 0")).contains("reloaded"))
  }

  @Test("Without a terminal, SIGTSTP sends the application to the background and SIGCONT back")
  func background() throws {
    let program = try start("plain")
    program.signal(SIGTSTP)
    _ = try read(program, until: "background")
    program.signal(SIGCONT)
    _ = try read(program, until: "active")
    try stop(program)
  }

  @Test("With the option set, the application ends with its parent process")
  func orphaned() throws {
    let fixture = try Program("ApplicationFixture").path
    let shell = try RunningProgram(
      Program(path: "/bin/sh"),
      ["-c", "\"$0\" orphan & wait", fixture]
    )
    _ = try read(shell, until: "active")
    shell.signal(SIGKILL)
    #expect(try read(shell, until: "ended with 0").contains("asked"))
  }

  @Test("The service manager receives no readiness message during the launch or the stop")
  func managerOfALaunch() throws {
    let manager = try Manager()
    let program = try start("launching", for: manager, until: "working")
    program.signal(SIGHUP)
    _ = try read(program, until: "reloaded")
    program.signal(SIGWINCH)
    _ = try read(program, until: "resized")
    try stop(program)
    #expect(try manager.message() == "STOPPING=1")
    #expect(throws: Manager.Failure.self) { try manager.message() }
  }

  @Test("The service manager is found even if launch options have no environment")
  func managerWithOptions() throws {
    let manager = try Manager()
    let program = try start("optioned", for: manager)
    #expect(try manager.nextMessage() == "READY=1")
    withExtendedLifetime(program) {}
  }

  @Test(
    "A process that a service starts inherits the service manager only on request",
    arguments: [false, true]
  )
  func managerOfAChild(isKept: Bool) throws {
    let manager = try Manager()
    let program = try start(isKept ? "keeping" : "variables", for: manager, until: "launching")
    let kept = "\(manager.address), 100000000000, \(program.process)"
    _ = try read(program, until: isKept ? kept : "none, none, none")
    // The reports that it is alive come from a task.
    #expect(try Set([manager.nextMessage(), manager.nextMessage()]) == ["WATCHDOG=1", "READY=1"])
  }

  private func start(
    _ kind: String,
    for manager: Manager,
    until line: String = "active"
  ) throws -> RunningProgram {
    let program = try RunningProgram(
      Program(path: "/bin/sh"),
      [
        "-c", "NOTIFY_SOCKET=$1 WATCHDOG_USEC=${3-} WATCHDOG_PID=$$ exec \"$0\" $2",
        try Program("ApplicationFixture").path, manager.address, kind,
      ] + (["variables", "keeping"].contains(kind) ? ["100000000000"] : [])
    )
    _ = try read(program, until: line)
    return program
  }

  @Test(
    "The service manager is notified of the start, of a reload's begin and end, and of the stop"
  )
  func manager() throws {
    let manager = try Manager()
    let program = try start("plain", for: manager)
    #expect(try manager.nextMessage() == "READY=1")
    program.signal(SIGHUP)
    _ = try read(program, until: "reloaded")
    #expect(try manager.nextMessage().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(try manager.nextMessage() == "READY=1")
    try stop(program)
    #expect(try manager.nextMessage() == "STOPPING=1")
  }
}
#endif
