#if os(Linux) || os(macOS)
import TestSupport

/// The program of `Examples/Daemon` as a service manager runs it: with a socket for its messages, a file of settings,
/// and a spool.
///
/// Standard error goes where standard output goes, so that the order of both is known.
final class SupervisedDaemon {
  let manager: Manager
  private let folder: ScratchPath
  let spool: ScratchPath
  private var running: RunningProgram?

  init() throws {
    manager = try Manager()
    folder = try ScratchPath(isFolder: true)
    spool = try ScratchPath(isFolder: true)
  }

  /// Writes the file of settings.
  func writeSettings(label: String = "news", pause: Double = 0, spool other: String? = nil) throws {
    try writeSettings(
      #"{ "spool": "\#(other ?? spool.path)", "label": "\#(label)", "pause": \#(pause) }"#
    )
  }

  /// Writes any text as the file of settings.
  func writeSettings(_ text: String) throws { try folder.write(text, to: "settings.json") }

  /// Puts a complete file into the spool.
  func put(_ text: String, as name: String) throws {
    let hidden = try spool.write(text, to: "." + name)
    try move(hidden, to: spool.path + "/" + name)
  }

  /// Puts a file into the spool whose bytes are no text.
  func putNoText(as name: String) throws {
    let file = try spool.write("", to: name)
    let descriptor = unsafe open(file, O_WRONLY | O_APPEND)  // Reason: a terminated string.
    defer { close(descriptor) }
    _ = unsafe write(descriptor, [0xFF, 0xFE] as [UInt8], 2)  // Reason: within the bytes.
  }

  /// Returns whether a file is in the spool.
  func hasInSpool(_ name: String) -> Bool {
    unsafe access(spool.path + "/" + name, F_OK) == 0  // Reason: a terminated string.
  }

  /// Moves the spool to another place, where the program does not look for it.
  func moveSpoolAway() throws { try move(spool.path, to: spool.path + "-away") }

  /// Moves the spool back to its place.
  func moveSpoolBack() throws { try move(spool.path + "-away", to: spool.path) }

  private func move(_ path: String, to other: String) throws {
    let code = unsafe rename(path, other)  // Reason: terminated strings.
    guard code == 0 else { throw Manager.Failure(code: errno) }
  }

  /// Starts the program in the folder with its settings.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the program.
  ///   - watchdog: The interval of the watchdog in microseconds.
  /// - Throws: An error if it cannot be started.
  func start(
    _ arguments: [String] = ["--settings", "settings.json"],
    watchdog: Int? = nil
  ) throws {
    try start(
      script: #"exec "$@" 2>&1"#,
      arguments,
      watchdog.map { "WATCHDOG_USEC=\($0) " } ?? ""
    )
  }

  /// Starts the program so that its standard output loses its reader after one line.
  ///
  /// Standard error, `closed` after that line, and at last the exit status remain readable.
  func startWithAReaderOfOneLine() throws {
    let script = #"""
      exec 3>&1; { "$@" 2>&3; echo "status $?" >&3; } | { read -r line; exec <&-; echo closed; }
      """#
    try start(script: script, ["--settings", "settings.json"])
  }

  private func start(
    script: String,
    _ arguments: [String],
    _ variables: String = ""
  ) throws {
    let path = try Program("daemon").path
    running = try RunningProgram(
      Program(path: "/bin/sh"),
      [
        "-c", #"cd "$1" && export NOTIFY_SOCKET="$2" \#(variables)&& shift 2 && \#(script)"#,
        "sh", folder.path, manager.address, path,
      ] + arguments
    )
  }

  /// The next line of its output.
  func line() throws -> String { try program.line() }

  /// Sends a signal.
  func signal(_ number: Int32) throws { try program.signal(number) }

  /// Waits for the end.
  ///
  /// - Returns: The exit status, or minus the signal that ended it.
  func wait() throws -> Int32 { try program.wait() }

  private var program: RunningProgram {
    get throws {
      guard let running else { throw Manager.Failure(code: ESRCH) }
      return running
    }
  }
}
#endif
