#if canImport(Glibc)
internal import EventBus
internal import Glibc

/// A program that was built beside the tests, while it runs: told things, signalled, and listened to.
///
/// Dropping it ends it.
public final class RunningProgram: Sendable {
  private struct State {
    var unread: [UInt8] = []
    var hasEnded = false
  }

  /// The number of the process.
  public let process: Int32

  /// `POSIX_SPAWN_SETSID`, which the C module does not have.
  private static let newSession: Int16 = 0x80

  private let input: Int32
  private let output: Int32
  private let complaints: ScratchFile
  private let state = Locked(State())

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: What to start.
  ///   - arguments: What follows its path on the command line.
  ///   - terminal: Its standard input, and the terminal that controls it, as the first of a session of
  ///     its own; without one it reads what ``send(_:)`` sends.
  ///   - blocksSignals: Whether it begins with all signals blocked, and not with none, as is usual.
  /// - Throws: If it could not be started.
  public init(
    _ program: Program,
    _ arguments: [String] = [],
    terminal: Terminal? = nil,
    blocksSignals: Bool = false
  ) throws {
    let toProgram = try Self.pipe()
    let fromProgram = try Self.pipe()
    complaints = try ScratchFile()
    input = toProgram.1
    output = fromProgram.0
    defer {
      close(toProgram.0)
      close(fromProgram.1)
    }

    // The list ends with nil.
    let texts = [program.path] + arguments
    let words = unsafe texts.map { unsafe strdup($0) }  // Reason: freed below.
    defer { unsafe words.forEach { unsafe free($0) } }  // Reason: made by `strdup`.
    let line = unsafe words + [nil]  // Reason: as above.
    var actions = unsafe posix_spawn_file_actions_t()  // Reason: initialized in the next line.
    unsafe posix_spawn_file_actions_init(&actions)  // Reason: destroyed below.
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }  // Reason: initialized above.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)  // Reason: destroyed below.
    defer { unsafe posix_spawnattr_destroy(&attributes) }  // Reason: initialized above.
    // The threads that run tests have signals blocked, which a program would inherit.
    var mask = sigset_t()
    if blocksSignals {
      unsafe sigfillset(&mask)  // Reason: outlives the call.
    } else {
      unsafe sigemptyset(&mask)  // Reason: outlives the call.
    }
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)  // Reason: as above.
    let flags = Int16(POSIX_SPAWN_SETSIGMASK) | (terminal == nil ? 0 : Self.newSession)
    unsafe posix_spawnattr_setflags(&attributes, flags)  // Reason: as above.
    if let terminal {
      let path = terminal.path
      unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)  // Reason: as above.
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, toProgram.0, 0)  // Reason: as above.
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, fromProgram.1, 1)  // Reason: as above.
    let log = complaints.descriptor
    unsafe posix_spawn_file_actions_adddup2(&actions, log, 2)  // Reason: as above.
    var child: pid_t = 0
    let path = program.path
    let code =
      unsafe posix_spawn(&child, path, &actions, &attributes, line, environ)  // Reason: all live.
    guard code == 0 else { throw SystemError("cannot start \(program.path)", code) }
    process = child
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
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(input, bytes, bytes.count)  // Reason: within the bytes.
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

  /// Waits for its end.
  ///
  /// - Returns: The exit status, or minus the signal that ended it.
  public func wait() throws -> Int32 {
    state.withLock { $0.hasEnded = true }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {  // Reason: `status` outlives the call.
      guard errno == EINTR else { throw SystemError("cannot wait for \(process)", errno) }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : -signal
  }

  private static func pipe() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let code = unsafe Glibc.pipe(&ends)  // Reason: room for both.
    guard code == 0 else { throw SystemError("no pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
#endif
