#if canImport(Glibc)
import Glibc

/// Runs a program that was built beside these tests.
struct Program {
  /// What a run left behind.
  struct Result: Equatable {
    /// The exit status, or minus the signal that ended it.
    var status: Int32
    var output: String
    var complaints: String
  }

  let path: String

  /// Names a program in the folder of the test bundle.
  init(_ name: String) throws {
    path = try parent(ofPath: bundlePath()) + "/" + name
  }

  /// Runs the program to its end, with nothing to read.
  func run(_ arguments: [String]) throws -> Result {
    // Files and not pipes: they cannot fill up while the other one is read.
    let output = try ScratchFile()
    let complaints = try ScratchFile()
    let child = try spawn(arguments, output: output.descriptor, complaints: complaints.descriptor)
    return Result(
      status: try wait(for: child),
      output: try output.text(),
      complaints: try complaints.text()
    )
  }

  private func spawn(_ arguments: [String], output: Int32, complaints: Int32) throws -> pid_t {
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) }  // Reason: freed below.
    defer { unsafe words.forEach { unsafe free($0) } }  // Reason: made by `strdup`, or nil.
    unsafe words.append(nil)  // Reason: ends the list.

    var actions = unsafe posix_spawn_file_actions_t()  // Reason: initialized in the next line.
    unsafe posix_spawn_file_actions_init(&actions)  // Reason: destroyed below.
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }  // Reason: initialized above.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0)  // Reason: as above.
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)  // Reason: as above.
    unsafe posix_spawn_file_actions_adddup2(&actions, complaints, 2)  // Reason: as above.

    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, path, &actions, nil, words, environ)  // Reason: all live.
    guard code == 0 else { throw SystemError("cannot start \(path)", code) }
    return child
  }

  private func wait(for child: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 {  // Reason: `status` outlives the call.
      guard errno == EINTR else { throw SystemError("cannot wait for \(path)", errno) }
    }
    // The low seven bits are the signal; without one, the next eight are the exit status.
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : -signal
  }
}
#endif
