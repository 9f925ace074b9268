#if canImport(Glibc)
import Glibc
import TestSupport
import Testing

/// Signals that really come, to an application that was built beside the tests.
@Suite("An application and the signals of its process")
struct ApplicationProcessTests {
  private func start(_ kind: String) throws -> RunningProgram {
    try RunningProgram(Program("ApplicationFixture"), [kind])
  }

  /// Reads lines to one of them.
  private func read(_ program: RunningProgram, until last: String) throws -> [String] {
    var lines: [String] = []
    while lines.last != last { lines.append(try program.line()) }
    return lines
  }

  @Test("The first stops it in order; when it has run, a signal does what it did before")
  func terminate() throws {
    for signal in [SIGTERM, SIGINT] {
      let program = try start("plain")
      _ = try read(program, until: "active")
      program.signal(signal)
      let lines = try read(program, until: "ended with 0")
      #expect(lines.contains("asked"))
      #expect(lines.contains("terminated"))
      program.signal(signal)
      #expect(try program.wait() == -signal)
    }
  }

  @Test("After the run a signal ends the process, also if other code puts the handler back")
  func handlerPutBack() throws {
    for signal in [SIGTERM, SIGINT] {
      let program = try start("keeper")
      _ = try read(program, until: "active")
      program.signal(signal)
      _ = try read(program, until: "put back")
      program.signal(signal)
      #expect(try program.wait() == -signal)
    }
  }

  @Test("While it launches, what has not begun does not begin, and it ends")
  func terminateWhileLaunching() throws {
    let program = try start("launching")
    _ = try read(program, until: "working")
    program.signal(SIGTERM)
    let lines = try read(program, until: "ended with 0")
    #expect(!lines.contains("active"))
  }

  @Test("The second cancels, and the exit code says which signal it was")
  func twice() throws {
    let program = try start("stubborn")
    _ = try read(program, until: "active")
    program.signal(SIGTERM)
    _ = try read(program, until: "asked")
    program.signal(SIGTERM)
    #expect(try read(program, until: "ended with 143").contains("cancelled"))
  }

  @Test("The third ends the process at once, whatever is stuck")
  func threeTimes() throws {
    let program = try start("stuck")
    _ = try read(program, until: "active")
    program.signal(SIGTERM)
    _ = try read(program, until: "asked")
    // Signals of one kind that come together are one.
    program.signal(SIGINT)
    program.signal(SIGTERM)
    #expect([128 + SIGTERM, 128 + SIGINT].contains(try program.wait()))
  }

  @Test("The third ends the process although every thread of the concurrency runtime is blocked")
  func blockedThreads() throws {
    let program = try start("blocked")
    _ = try read(program, until: "blocks")
    // All there are: a program that blocks them says nothing more.
    while try program.says(within: 200) { _ = try program.line() }
    program.signal(SIGTERM)
    program.signal(SIGUSR1)
    program.signal(SIGINT)
    #expect(try program.wait() >= 128)
  }

  @Test("The third ends the process although a thread holds the lock of its standard output")
  func fullPipe() throws {
    let program = try start("full")
    #expect(try program.wait() > 128)
  }

  @Test("A hang-up that came before the stop does nothing after it, and is no interrupt")
  func hangupBeforeTheStop() throws {
    let program = try start("reloading")
    _ = try read(program, until: "active")
    program.signal(SIGHUP)
    _ = try read(program, until: "begins")
    for _ in 0..<3 { program.signal(SIGHUP) }
    program.signal(SIGTERM)
    _ = try read(program, until: "stopping")
    program.signal(SIGINT)
    _ = try read(program, until: "ended with 130")
    #expect(try program.ask("alive") == "alive")
    #expect(
      try program.standardError.contains("left behind: handlers of application.shouldReload")
    )
  }

  @Test("A hang-up that was ignored when the program started stays ignored")
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
    program.signal(SIGTERM)
    #expect(!(try read(program, until: "ended with 0")).contains("reloaded"))
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

  @Test("Hang-up asks for a reload, a window change says so, and it runs on")
  func requests() throws {
    let program = try start("plain")
    _ = try read(program, until: "active")
    program.signal(SIGHUP)
    _ = try read(program, until: "reloaded")
    program.signal(SIGWINCH)
    _ = try read(program, until: "resized")
    program.signal(SIGTERM)
    _ = try read(program, until: "ended with 0")
  }

  @Test("Without a terminal, a stop sends it to the background, and going on brings it back")
  func background() throws {
    let program = try start("plain")
    _ = try read(program, until: "active")
    program.signal(SIGTSTP)
    _ = try read(program, until: "background")
    program.signal(SIGCONT)
    _ = try read(program, until: "active")
    program.signal(SIGTERM)
    _ = try read(program, until: "ended with 0")
  }

  @Test("It ends with the process that started it, if it is told to")
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

  @Test("Its service manager is not told that it is ready while it launches, or while it stops")
  func managerOfALaunch() throws {
    let manager = try Manager(isAbstract: true)
    let program = try start("launching", for: manager)
    _ = try read(program, until: "working")
    program.signal(SIGHUP)
    _ = try read(program, until: "reloaded")
    program.signal(SIGWINCH)
    _ = try read(program, until: "resized")
    program.signal(SIGTERM)
    _ = try read(program, until: "ended with 0")
    #expect(try manager.message() == "STOPPING=1")
    #expect(throws: Manager.Failure.self) { try manager.message() }
  }

  @Test("Its service manager is found although launch options were given without an environment")
  func managerWithOptions() throws {
    let manager = try Manager(isAbstract: true)
    let program = try start("optioned", for: manager)
    _ = try read(program, until: "active")
    #expect(try manager.nextMessage() == "READY=1")
  }

  private func start(_ kind: String, for manager: Manager) throws -> RunningProgram {
    try RunningProgram(
      Program(path: "/bin/sh"),
      [
        "-c", "NOTIFY_SOCKET=$1 exec \"$0\" $2", try Program("ApplicationFixture").path,
        manager.address, kind,
      ]
    )
  }

  @Test(
    "Its service manager hears of the start, of a reload from beginning to end, and of the stop"
  )
  func manager() throws {
    let manager = try Manager(isAbstract: true)
    let program = try start("plain", for: manager)
    _ = try read(program, until: "active")
    #expect(try manager.nextMessage() == "READY=1")
    program.signal(SIGHUP)
    _ = try read(program, until: "reloaded")
    #expect(try manager.nextMessage().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(try manager.nextMessage() == "READY=1")
    program.signal(SIGTERM)
    _ = try read(program, until: "ended with 0")
    #expect(try manager.nextMessage() == "STOPPING=1")
  }
}
#endif
