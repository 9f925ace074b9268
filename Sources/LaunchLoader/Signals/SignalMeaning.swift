/// A request that a signal makes to an application.
public enum SignalMeaning: Sendable, Hashable {
  /// Stop in order; the second signal cancels everything, and the third ends the process immediately.
  ///
  /// `SIGHUP` requests only the orderly stop, however often it arrives.
  case graceful
  /// Reload the configuration: the application posts `shouldReload`.
  ///
  /// Instead, `SIGHUP` is ``graceful`` if the program has lost its controlling terminal.
  case reload
  /// Go to the background, and then stop as the system does by default, if a terminal controls the process.
  case background
  /// Return to the foreground.
  case foreground
  /// Read the size of the terminal: the application posts `terminalDidResize`.
  case resize
  /// Do nothing: the signal is swallowed.
  case ignore

  /// The default meanings: `SIGTERM` and `SIGINT` are ``graceful``, `SIGHUP` is ``reload``, `SIGTSTP`
  /// ``background``, `SIGCONT` ``foreground`` and `SIGWINCH` ``resize``.
  ///
  /// No signal has a meaning on systems other than Linux and macOS, and in a program inside the bundle of an
  /// app or of an extension, whose system starts and ends it by other means.
  public static var usual: [UnixSignal: SignalMeaning] {
    #if os(Linux)
    usual(on: .linux, executable: "")
    #elseif os(macOS)
    usual(on: .macOS, executable: ServiceProcess.executablePath)
    #else
    usual(on: .other, executable: "")
    #endif
  }

  /// An operating system, as far as the default meanings of signals differ.
  package enum System: Sendable, CaseIterable {
    /// Programs have no bundles.
    case linux
    /// Programs are command-line tools, apps or extensions.
    case macOS
    /// Programs receive no signals that they should handle.
    case other
  }

  /// Returns the default meanings of signals.
  ///
  /// - Parameters:
  ///   - system: The operating system.
  ///   - executable: The path of the program. On macOS, one of its folders ends in `.app` or `.appex` if the
  ///     program belongs to the bundle of an app or of an extension.
  /// - Returns: The meanings; none where signals are left alone.
  package static func usual(
    on system: System,
    executable: String
  ) -> [UnixSignal: SignalMeaning] {
    switch system {
    case .other: return [:]
    case .macOS:
      let folders = executable.split(separator: "/").dropLast()
      let isInBundle = folders.contains { folder in
        let name = folder.lowercased()
        return name.hasSuffix(".app") || name.hasSuffix(".appex")
      }
      if isInBundle { return [:] }
    case .linux: break
    }
    return [
      .terminate: .graceful, .interrupt: .graceful, .hangup: .reload, .stop: .background,
      .resume: .foreground, .windowChanged: .resize,
    ]
  }
}
