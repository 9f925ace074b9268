#if os(Linux) || os(macOS)
internal import EventBus

/// A running program that was built beside the tests: it can be sent input and signals, and read
/// from.
///
/// Dropping it ends it.
public final class RunningProgram: Sendable {
  private struct State {
    var unread: [UInt8] = []
    var hasEnded = false
  }

  /// The number of the process.
  public let process: Int32

  private let input: Int32
  private let output: Int32
  private let complaints: ScratchFile
  private let state = Locked(State())

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - arguments: The arguments after its path.
  ///   - terminal: Its standard input and controlling terminal; without one it reads the input from
  ///     ``send(_:)``. In both cases it leads its own session.
  ///   - blocksSignals: Whether it starts with all signals blocked instead of none.
  /// - Throws: An error if it cannot be started.
  public init(
    _ program: Program,
    _ arguments: [String] = [],
    terminal: Terminal? = nil,
    blocksSignals: Bool = false
  ) throws {
    let toProgram = try makePipe()
    let fromProgram = try makePipe()
    complaints = try ScratchFile()
    input = toProgram.writing
    output = fromProgram.reading
    defer {
      close(toProgram.reading)
      close(fromProgram.writing)
    }

    let start = Spawn(
      path: program.path,
      arguments: arguments,
      descriptors: [
        terminal.map { .file($0.path, O_RDWR) } ?? .copy(toProgram.reading),
        .copy(fromProgram.writing),
        .copy(complaints.descriptor),
      ],
      // Without a terminal: with that of the tests, if they have one, it would be stopped.
      isNewSession: true,
      // The threads that run tests have signals blocked, which a program would inherit.
      blocksSignals: blocksSignals
    )
    process = try start()
  }

  deinit {
    if !state.withLock({ $0.hasEnded }) {
      signal(SIGKILL)
      _ = waitpid(process, nil, 0)
    }
    close(input)
    close(output)
  }

  /// Sends a line to its standard input.
  public func send(_ line: String) {
    writeBytes(Array((line + "\n").utf8), to: input)
  }

  /// Sends a line and reads one.
  public func ask(_ line: String) throws -> String {
    send(line)
    return try self.line()
  }

  /// Sends a signal.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Reads a line of its standard output.
  ///
  /// - Throws: If there is none any more, or for so long that something must be wrong.
  public func line() throws -> String {
    var bytes: [UInt8] = []
    while true {
      let byte = try byte()
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
  }

  /// Suspends until nothing in the program can go on by itself: each of its threads sleeps.
  public func rest() async { await until(threadsRest(in: process, exceptCaller: false)) }

  /// Reads a byte of its standard output.
  ///
  /// - Throws: As ``line()``.
  public func byte() throws -> UInt8 {
    if let byte = state.withLock({ $0.unread.popLast() }) { return byte }
    var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    var code: Int32
    repeat {
      code = unsafe poll(&request, 1, 30_000)  // Reason: outlives the call.
    } while code < 0 && errno == EINTR
    guard code > 0 else {
      throw SystemError("nothing is said: \(try complaints.text())", ETIMEDOUT)
    }
    var chunk = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(output, &chunk, chunk.count)  // Reason: `chunk` outlives the call.
    guard count > 0 else { throw SystemError("it has ended: \(try complaints.text())", errno) }
    let unread = Array(chunk[1..<count].reversed())
    state.withLock { $0.unread = unread }
    return chunk[0]
  }

  /// The program's standard error so far.
  public var standardError: String {
    get throws { try complaints.text() }
  }

  /// Waits for its end.
  ///
  /// - Returns: The exit status, or minus the signal that ended it.
  public func wait() throws -> Int32 {
    state.withLock { $0.hasEnded = true }
    return try Spawn.wait(for: process)
  }
}
#endif
