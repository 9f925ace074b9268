#if canImport(Glibc)
internal import Glibc

/// A terminal that has a test for its user.
public final class Terminal: Sendable {
  /// Where programs open it.
  public let path: String

  /// `TIOCSPTLCK` and `TIOCGPTN` (`ioctl_tty(2)`).
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  private let keyboard: Int32

  /// Plugs in a new one.
  public init() throws {
    // What `posix_openpt` and its companions do: the C module does not have them.
    let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
    keyboard = unsafe open("/dev/ptmx", flags)  // Reason: a terminated string.
    var isLocked: Int32 = 0
    var number: Int32 = 0
    guard keyboard >= 0,
      unsafe ioctl(keyboard, Self.setLock, &isLocked) == 0,  // Reason: outlives the call.
      unsafe ioctl(keyboard, Self.getNumber, &number) == 0  // Reason: outlives the call.
    else { throw SystemError("no terminal", errno) }
    path = "/dev/pts/\(number)"
  }

  deinit { close(keyboard) }

  /// Types some text.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(keyboard, bytes, bytes.count)  // Reason: within the bytes.
  }

  /// Makes the window of another size.
  public func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe withUnsafeMutablePointer(to: &size) { size in  // Reason: within the call.
      unsafe ioctl(keyboard, UInt(TIOCSWINSZ), size)  // Reason: as above.
    }
  }
}
#endif
