#if os(Linux) || os(macOS)

/// A program on its own terminal, with a test at the keyboard and in front of the screen.
///
/// Dropping it ends the program.
public final class TerminalProgram {
  /// The screen of the terminal, as far as its output was read.
  public private(set) var screen: Screen
  /// All output that was read, for checks that a screen does not allow.
  public private(set) var bytes: [UInt8] = []
  /// The modes of the terminal.
  public let modes: TerminalModes
  /// The modes before the program was started.
  public let modesBefore: TerminalModes.Values
  /// The number of the process.
  public let process: Int32

  private var terminal: Terminal?
  /// Ends with the program, which holds the other end of the pipe.
  private let lifeline: Int32
  private var hasEnded = false

  /// Starts a program as the leader of a session.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - arguments: The arguments after its path.
  ///   - environment: All of its variables, as `NAME=value`.
  ///   - columns: The width of the window.
  ///   - rows: Its height.
  /// - Throws: An error if it cannot be started.
  public init(
    _ program: Program,
    _ arguments: [String] = [],
    environment: [String],
    columns: Int = 80,
    rows: Int = 24
  ) throws {
    let terminal = try Terminal()
    self.terminal = terminal
    screen = Screen(columns: columns, rows: rows)
    // Opens the other end, without which macOS refuses to set the size.
    modes = try TerminalModes(terminal)
    terminal.resize(columns: UInt16(columns), rows: UInt16(rows))
    modesBefore = try modes.values
    let ends = try makePipe()
    lifeline = ends.reading
    defer { close(ends.writing) }
    let file = Spawn.Source.file(terminal.path, O_RDWR)
    let start = Spawn(
      path: program.path,
      arguments: arguments,
      environment: environment,
      descriptors: [file, file, file, .copy(ends.writing)],
      isNewSession: true,
      blocksSignals: false
    )
    process = try start()
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      _ = waitpid(process, nil, 0)
    }
    close(lifeline)
  }

  /// Types some text.
  public func type(_ text: String) { terminal?.type(text) }

  /// Types some bytes.
  public func type(_ bytes: [UInt8]) { terminal?.type(bytes) }

  /// Sends the program a signal.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Makes the window of another size.
  public func resize(columns: Int, rows: Int) {
    screen.resize(columns: columns, rows: rows)
    terminal?.resize(columns: UInt16(columns), rows: UInt16(rows))
  }

  /// Takes the terminal away.
  public func unplug() { terminal = nil }

  /// Reads the screen until a condition holds.
  ///
  /// - Parameters:
  ///   - what: A description of the condition, for the message.
  ///   - isThere: The condition.
  /// - Throws: An error if the program ends, or is inactive for too long.
  public func wait(for what: String, until isThere: (Screen) -> Bool) throws {
    while screen.isInFrame || !isThere(screen) {
      switch try terminal?.next(or: lifeline) ?? .nothing {
      case .bytes(let new): take(new)
      case .otherEnded: throw SystemError("no \(what), and it has ended:\n\(screen.text)", 0)
      case .nothing: throw SystemError("no \(what):\n\(screen.text)", ETIMEDOUT)
      }
    }
  }

  /// Reads the screen until some text is on it.
  public func wait(for text: String) throws { try wait(for: text) { $0.contains(text) } }

  /// Reads the screen until the program ends.
  ///
  /// - Returns: The exit status, or minus the signal that ended it.
  /// - Throws: If it does not end for so long that something must be wrong.
  public func waitForEnd() throws -> Int32 {
    reading: while true {
      switch try terminal?.next(or: lifeline) ?? readLifeline() {
      case .bytes(let new): take(new)
      case .otherEnded: break reading
      case .nothing: throw SystemError("it does not end:\n\(screen.text)", ETIMEDOUT)
      }
    }
    return try waitUnread()
  }

  /// Waits for the end of the program, and reads nothing.
  public func waitUnread() throws -> Int32 {
    hasEnded = true
    return try Spawn.wait(for: process)
  }

  /// Sends signals over and over until the program ends, and reads nothing.
  ///
  /// They are further apart than those that an application counts as one.
  ///
  /// - Returns: The exit status, or minus the signal that ended it.
  /// - Throws: If it does not end for so long that something must be wrong.
  public func signalUntilEnd(_ numbers: [Int32]) throws -> Int32 {
    for _ in 0..<50 {
      for number in numbers {
        signal(number)
        if hasEnded(within: 600) { return try waitUnread() }
      }
    }
    throw SystemError("it does not end", ETIMEDOUT)
  }

  /// Waits until the only child of the program is stopped.
  ///
  /// - Throws: If it does not stop for so long that something must be wrong.
  public func waitForStoppedChild() throws {
    for _ in 0..<3_000 {
      if try hasStoppedChild { return }
      if hasEnded(within: 10) { break }
    }
    throw SystemError("the child is not stopped", ETIMEDOUT)
  }

  private var hasStoppedChild: Bool {
    get throws {
      #if os(macOS)
      let processes = try Program(path: "/bin/ps").run(["-axo", "ppid=,stat="])
      return processes.output.split(separator: "\n").contains { line in
        let words = line.split(separator: " ")
        return words.first == "\(process)" && words.last?.first == "T"
      }
      #else
      let children = try text(ofPath: "/proc/\(process)/task/\(process)/children")
      let child = children.split(separator: " ").first ?? ""
      // The state follows the name, which is in parentheses.
      let status = try text(ofPath: "/proc/\(child)/stat")
      return status.split(separator: ")").last?.hasPrefix(" T") ?? false
      #endif
    }
  }

  private func take(_ new: ArraySlice<UInt8>) {
    bytes += new
    screen.feed(new)
  }

  /// Waits for the end when there is no terminal any more.
  private func readLifeline() -> Terminal.Reading {
    hasEnded(within: 30_000) ? .otherEnded : .nothing
  }

  private func hasEnded(within milliseconds: Int32) -> Bool {
    var request = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
    let code = unsafe poll(&request, 1, milliseconds)  // Reason: outlives the call.
    return code > 0
  }
}

@available(*, unavailable)
extension TerminalProgram: Sendable {}
#endif
