#if os(Linux) || os(macOS)

/// A terminal whose user is a test.
///
/// Dropping it disconnects it, which hangs up its programs.
public final class Terminal: Sendable {
  /// The result of a read.
  enum Reading {
    case bytes(ArraySlice<UInt8>)
    /// All owners of the other descriptor have closed it.
    case otherEnded
    /// Nothing, for so long that something must be wrong.
    case nothing
  }

  /// Where programs open it.
  public let path: String

  /// The test's end.
  private let keyboard: Int32

  /// Plugs in a new one.
  public init() throws {
    #if canImport(Darwin)
    keyboard = posix_openpt(O_RDWR | O_NOCTTY)
    guard keyboard >= 0, grantpt(keyboard) == 0, unlockpt(keyboard) == 0,
      let name = unsafe ptsname(keyboard)  // Reason: copied before another terminal is made.
    else { throw SystemError("no terminal", errno) }
    _ = fcntl(keyboard, F_SETFD, FD_CLOEXEC)
    path = unsafe String(cString: name)  // Reason: as above.
    #else
    // The work of `posix_openpt` and its companions, which the C module of Linux lacks, with `TIOCSPTLCK`
    // and `TIOCGPTN` (`ioctl_tty(2)`).
    let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
    keyboard = unsafe open("/dev/ptmx", flags)  // Reason: a terminated string.
    var isLocked: Int32 = 0
    var number: Int32 = 0
    guard keyboard >= 0,
      unsafe ioctl(keyboard, 0x4004_5431, &isLocked) == 0,  // Reason: outlives the call.
      unsafe ioctl(keyboard, 0x8004_5430, &number) == 0  // Reason: outlives the call.
    else { throw SystemError("no terminal", errno) }
    path = "/dev/pts/\(number)"
    #endif
  }

  deinit { close(keyboard) }

  /// Types some text.
  public func type(_ text: String) { type(Array(text.utf8)) }

  /// Types some bytes.
  public func type(_ bytes: [UInt8]) { writeBytes(bytes, to: keyboard) }

  /// Makes the window of another size.
  public func resize(columns: UInt16, rows: UInt16 = 24) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe withUnsafeMutablePointer(to: &size) { size in  // Reason: within the call.
      unsafe ioctl(keyboard, UInt(TIOCSWINSZ), size)  // Reason: as above.
    }
  }

  /// Reads the programs' output, or waits until another descriptor reaches its end.
  func next(or other: Int32) throws -> Reading {
    var requests = [keyboard, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var code: Int32
    repeat {
      code = unsafe poll(&requests, 2, 30_000)  // Reason: both outlive the call.
    } while code < 0 && errno == EINTR
    guard code > 0 else { return .nothing }
    // Output written before the end is read before it.
    if requests[0].revents & Int16(POLLIN) == 0, requests[1].revents != 0 { return .otherEnded }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(keyboard, &bytes, bytes.count)  // Reason: room for them.
    guard count > 0 else { throw SystemError("cannot read the terminal", errno) }
    return .bytes(bytes.prefix(count))
  }
}
#endif
