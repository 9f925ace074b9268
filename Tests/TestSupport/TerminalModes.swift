#if os(Linux) || os(macOS)

/// The modes of a terminal, which can be inspected while programs run on it.
///
/// During its life the terminal keeps its modes, even if no program has it open.
public final class TerminalModes: Sendable {
  /// All that programs can change.
  public struct Values: Equatable, Sendable {
    let flags: [UInt]
    let characters: [UInt8]

    /// A Boolean value that indicates whether typed text is shown.
    public var echoes: Bool { flags[3] & UInt(ECHO) != 0 }
    /// A Boolean value that indicates whether typed text arrives in whole lines.
    public var isByLine: Bool { flags[3] & UInt(ICANON) != 0 }
    /// A Boolean value that indicates whether Control-C and similar keys send signals.
    public var hasSignals: Bool { flags[3] & UInt(ISIG) != 0 }
  }

  private let descriptor: Int32

  /// Looks at a terminal.
  public init(_ terminal: Terminal) throws {
    let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
    descriptor = unsafe open(terminal.path, flags)  // Reason: a terminated string.
    guard descriptor >= 0 else { throw SystemError("cannot open \(terminal.path)", errno) }
  }

  deinit { close(descriptor) }

  /// The modes now.
  public var values: Values {
    get throws {
      var modes = termios()
      let code = unsafe tcgetattr(descriptor, &modes)  // Reason: outlives the call.
      guard code == 0 else { throw SystemError("not a terminal", errno) }
      let control = modes.c_cc
      let characters = unsafe withUnsafeBytes(of: control) { unsafe Array($0) }  // Reason: a copy.
      return Values(
        flags: [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt($0) },
        characters: characters
      )
    }
  }

  /// Holds back the output of programs, as Control-S does; the programs wait.
  public func stopOutput() { tcflow(descriptor, TCOOFF) }
}
#endif
