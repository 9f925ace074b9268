#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// System calls for terminals.
package enum TerminalDevice {
  /// Returns a Boolean value that indicates whether a descriptor is a terminal.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Returns a Boolean value that indicates whether a terminal is still connected.
  package static func isThere(_ descriptor: Int32) -> Bool { modes(of: descriptor) != nil }

  /// Returns the size of a terminal's window, or ``Size/usual`` if the terminal does not report one.
  package static func size(of descriptor: Int32) -> Size {
    var size = winsize()
    let code = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)  // Reason: outlives the call.
    guard code == 0, size.ws_col > 0, size.ws_row > 0 else { return .usual }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Returns the modes of a terminal, or `nil` if the descriptor is not a terminal.
  static func modes(of descriptor: Int32) -> termios? {
    var modes = termios()
    let code = unsafe tcgetattr(descriptor, &modes)  // Reason: outlives the call.
    return code == 0 ? modes : nil
  }

  /// Sets the modes of a terminal immediately.
  ///
  /// A process in the background is stopped, and completes the call when it returns to the foreground.
  static func setModes(_ modes: termios, of descriptor: Int32) {
    var modes = modes
    let former = letThrough(SIGTTOU)
    defer { setMask(former) }
    // Retries after a stop or a signal.
    repeat {
      let code = unsafe tcsetattr(descriptor, TCSANOW, &modes)  // Reason: outlives the call.
      if code == 0 { return }
    } while errno == EINTR
  }

  /// Returns modes in which keys arrive immediately and unchanged, without echo.
  ///
  /// Control-C, Control-Z and Control-\\ still send signals.
  static func raw(_ modes: termios) -> termios {
    var modes = modes
    modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    modes.c_lflag |= tcflag_t(ISIG)
    modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP | PARMRK)
    unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in  // Reason: within the call.
      unsafe characters[Int(VMIN)] = 1  // Reason: an index of the array.
      unsafe characters[Int(VTIME)] = 0  // Reason: as above.
    }
    return modes
  }

  /// Writes all bytes, in one system call if possible.
  ///
  /// - Returns: `false` if writing fails, for example because the terminal is disconnected.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in  // Reason: within the bytes.
        unsafe Self.write(descriptor, bytes.baseAddress, bytes.count)  // Reason: as above.
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        wait(for: Int16(POLLOUT), of: descriptor)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Writes all bytes to a file, replacing its contents.
  ///
  /// - Returns: `false` if writing fails.
  package static func write(_ bytes: [UInt8], toFile path: String) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = unsafe open(path, flags, 0o644)  // Reason: a terminated string.
    guard descriptor >= 0 else { return false }
    let isWritten = write(bytes, to: descriptor)
    return close(descriptor) == 0 && isWritten
  }

  /// Reads the available bytes, waiting for at least one.
  ///
  /// - Returns: The number of bytes, or the result of the system call if it is zero or negative.
  static func read(_ bytes: inout [UInt8], from descriptor: Int32) -> Int {
    #if canImport(Glibc)
    unsafe Glibc.read(descriptor, &bytes, bytes.count)  // Reason: room for them.
    #elseif canImport(Musl)
    unsafe Musl.read(descriptor, &bytes, bytes.count)  // Reason: room for them.
    #else
    unsafe Darwin.read(descriptor, &bytes, bytes.count)  // Reason: room for them.
    #endif
  }

  /// Unblocks a signal in this thread.
  ///
  /// Threads of the concurrency runtime block most signals, so a program in the background would not be
  /// stopped.
  ///
  /// - Returns: The previous mask.
  @discardableResult
  static func letThrough(_ number: Int32) -> sigset_t {
    var signals = sigset_t()
    var former = sigset_t()
    unsafe sigemptyset(&signals)  // Reason: outlives the call.
    unsafe sigaddset(&signals, number)  // Reason: outlives the call.
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &former)  // Reason: both outlive the call.
    return former
  }

  private static func setMask(_ mask: sigset_t) {
    var mask = mask
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)  // Reason: outlives the call.
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    guard let bytes = unsafe bytes else { return 0 }  // Reason: only looked at.
    #if canImport(Glibc)
    return unsafe Glibc.write(descriptor, bytes, count)  // Reason: the caller's.
    #elseif canImport(Musl)
    return unsafe Musl.write(descriptor, bytes, count)  // Reason: the caller's.
    #else
    return unsafe Darwin.write(descriptor, bytes, count)  // Reason: the caller's.
    #endif
  }

  private static func wait(for events: Int16, of descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: events, revents: 0)
    _ = unsafe poll(&request, 1, -1)  // Reason: outlives the call.
  }
}
