#if canImport(Glibc)
internal import Glibc

/// A program that was built beside the tests, to be run as its users run it.
public struct Program: Sendable {
  /// What a run left behind.
  public struct Result: Equatable, Sendable {
    /// The exit status, or minus the signal that ended it.
    public var status: Int32
    /// What it wrote to standard output.
    public var output: String
    /// What it wrote to standard error.
    public var complaints: String

    /// Creates the result that a test expects.
    public init(status: Int32, output: String, complaints: String) {
      self.status = status
      self.output = output
      self.complaints = complaints
    }
  }

  /// Where the program is.
  public let path: String

  /// Names a program by its path.
  public init(path: String) { self.path = path }

  /// Names a program in the folder of the program that runs the tests.
  public init(_ name: String) throws {
    path = try parent(ofPath: pathOfThisProgram()) + "/" + name
  }

  /// Runs the program to its end, with nothing to read.
  ///
  /// - Parameters:
  ///   - arguments: What follows its path on the command line.
  ///   - environment: All of its variables, as `NAME=value`; those of the tests if there is none.
  /// - Returns: What it left behind.
  /// - Throws: If it could not be started or waited for. How it ended is in the result.
  public func run(_ arguments: [String] = [], environment: [String]? = nil) throws -> Result {
    // Files and not pipes: they cannot fill up while the other one is read.
    let output = try ScratchFile()
    let complaints = try ScratchFile()
    let child = try spawn(arguments, environment, output.descriptor, complaints.descriptor)
    return Result(
      status: try wait(for: child),
      output: try output.text(),
      complaints: try complaints.text()
    )
  }

  private func spawn(
    _ arguments: [String],
    _ environment: [String]?,
    _ output: Int32,
    _ complaints: Int32
  ) throws -> pid_t {
    // Each list ends with nil.
    let line = unsafe ([path] + arguments).map { unsafe strdup($0) }  // Reason: freed below.
    let words = unsafe line + [nil]  // Reason: freed below.
    let given = unsafe environment?.map { unsafe strdup($0) } ?? []  // Reason: freed below.
    let variables = unsafe given + [nil]  // Reason: freed below.
    defer { unsafe (words + variables).forEach { unsafe free($0) } }  // Reason: made by `strdup`.

    var actions = unsafe posix_spawn_file_actions_t()  // Reason: initialized in the next line.
    unsafe posix_spawn_file_actions_init(&actions)  // Reason: destroyed below.
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }  // Reason: initialized above.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0)  // Reason: as above.
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)  // Reason: as above.
    unsafe posix_spawn_file_actions_adddup2(&actions, complaints, 2)  // Reason: as above.

    var child: pid_t = 0
    let code =
      if environment == nil {
        unsafe posix_spawn(&child, path, &actions, nil, words, environ)  // Reason: all live.
      } else {
        unsafe posix_spawn(&child, path, &actions, nil, words, variables)  // Reason: all live.
      }
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
