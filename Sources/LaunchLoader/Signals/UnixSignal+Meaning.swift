extension UnixSignal {
  /// A request that a signal makes to a host.
  public enum Meaning: Sendable, Hashable {
    /// Stop in order; the second signal cancels everything, and the third ends the process immediately.
    ///
    /// A signal less than half a second after the last one with this meaning is treated as the
    /// same.
    ///
    /// `SIGHUP` requests only the orderly stop, however often it arrives.
    case shutdown
    /// Reload the configuration: the host posts `appShouldReload`.
    ///
    /// Instead, `SIGHUP` is ``shutdown`` if the program has lost its controlling terminal.
    case reload
    /// Go to the background, and then stop as the system does by default, if a terminal controls the process.
    case background
    /// Return to the foreground.
    case foreground
    /// Do nothing: the signal is swallowed.
    case ignore

    /// The default meanings: `SIGTERM` and `SIGINT` are ``shutdown``, `SIGHUP` is ``reload``, `SIGTSTP`
    /// ``background``, and `SIGCONT` ``foreground``.
    ///
    /// No signal has a meaning on systems other than Linux and macOS, and in a program inside the bundle of an
    /// app or of an extension, whose system starts and ends it by other means.
    public static var standard: [UnixSignal: UnixSignal.Meaning] {
      #if os(Linux)
      ofPrograms
      #elseif os(macOS)
      isInBundle(ServiceProcess.executablePath) ? [:] : ofPrograms
      #else
      [:]
      #endif
    }

    private static let ofPrograms: [UnixSignal: UnixSignal.Meaning] = [
      .terminate: .shutdown, .interrupt: .shutdown, .hangup: .reload, .terminalStop: .background,
      .resume: .foreground,
    ]

    /// Returns whether a program on macOS belongs to the bundle of an app or of an extension: one of the folders
    /// of its path ends in `.app` or `.appex`.
    package static func isInBundle(_ executable: String) -> Bool {
      executable.split(separator: "/").dropLast().contains { folder in
        let name = folder.lowercased()
        return name.hasSuffix(".app") || name.hasSuffix(".appex")
      }
    }
  }
}
