#if canImport(Glibc)
import Glibc

/// What a program said and how it ended.
struct Subprocess {
  /// Its standard output.
  let output: String
  /// Its exit status, or 128 and the number of the signal that ended it.
  let status: Int32

  /// Runs a program that was built beside the tests, and waits for its end.
  ///
  /// - Returns: `nil` if it could not be started.
  static func run(
    _ name: String,
    arguments: [String] = [],
    environment: [String] = []
  ) -> Subprocess? {
    guard let directory = directoryOfThisProgram() else { return nil }
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return nil }  // Reason: there is room for two.
    let process = spawn("\(directory)/\(name)", [name] + arguments, environment, output: ends)
    close(ends[1])
    defer { close(ends[0]) }
    guard let process else { return nil }
    let output = readAll(from: ends[0])
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, 0) == process else { return nil }  // Reason: a local.
    let signal = status & 0x7f
    return Subprocess(output: output, status: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
  }

  private static func spawn(
    _ path: String,
    _ arguments: [String],
    _ environment: [String],
    output ends: [Int32]
  ) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()  // Reason: set up by the next line.
    unsafe posix_spawn_file_actions_init(&actions)  // Reason: destroyed below.
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }  // Reason: set up above.
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)  // Reason: set up above.
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])  // Reason: set up above.
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]  // Reason: freed below.
    var envp = unsafe environment.map { unsafe strdup($0) } + [nil]  // Reason: freed below.
    defer { unsafe (argv + envp).forEach { unsafe free($0) } }  // Reason: made by `strdup`.
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, path, &actions, nil, &argv, &envp)  // Reason: set up.
    return code == 0 ? pid : nil
  }

  private static func directoryOfThisProgram() -> String? {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)  // Reason: it has room.
    guard count > 0 else { return nil }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  private static func readAll(from descriptor: Int32) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)  // Reason: within the buffer.
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }
}
#endif
