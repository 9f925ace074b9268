#if os(Linux) || os(macOS)

/// The start of a program.
struct Spawn {
  /// The role of a descriptor in the new process.
  enum Source {
    /// A copy of one of this process.
    case copy(Int32)
    /// A file, opened by the new process.
    case file(String, Int32)
  }

  /// `POSIX_SPAWN_SETSID`, which some C modules lack.
  #if canImport(Darwin)
  private static let newSession = Int16(POSIX_SPAWN_SETSID)
  #else
  private static let newSession: Int16 = 0x80
  #endif

  #if canImport(Darwin)
  private typealias Actions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
  #else
  private typealias Actions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
  #endif

  var path: String
  /// The arguments after the path.
  var arguments: [String] = []
  /// All of its variables, as `NAME=value`; those of the tests if there is none.
  var environment: [String]?
  /// Its descriptors from zero on.
  var descriptors: [Source] = []
  /// A Boolean value that indicates whether the process leads a session, controlled by the first
  /// terminal it opens.
  var isNewSession = false
  /// A Boolean value that indicates whether the process starts with all signals blocked, or with
  /// none; `nil` keeps those of the caller.
  var blocksSignals: Bool?

  /// Starts it.
  ///
  /// - Returns: The number of the process.
  /// - Throws: If it could not be started.
  func callAsFunction() throws -> Int32 {
    // Each list ends with nil.
    let texts = [path] + arguments
    let words = unsafe texts.map { unsafe strdup($0) } + [nil]  // Reason: freed below.
    let given = unsafe environment?.map { unsafe strdup($0) } ?? []  // Reason: freed below.
    let variables = unsafe given + [nil]  // Reason: freed below.
    defer { unsafe (words + variables).forEach { unsafe free($0) } }  // Reason: made by `strdup`.
    let actions = UnsafeMutablePointer<Actions>.allocate(capacity: 1)
    defer { unsafe actions.deallocate() }  // Reason: allocated above.
    unsafe posix_spawn_file_actions_init(actions)  // Reason: destroyed below.
    defer { unsafe posix_spawn_file_actions_destroy(actions) }  // Reason: initialized above.
    for (number, source) in descriptors.enumerated() {
      let number = Int32(number)
      switch source {
      case .copy(let other):
        unsafe posix_spawn_file_actions_adddup2(actions, other, number)  // Reason: as above.
      case .file(let name, let flags):
        unsafe posix_spawn_file_actions_addopen(actions, number, name, flags, 0)  // Reason: ditto.
      }
    }
    let extras = UnsafeMutablePointer<Attributes>.allocate(capacity: 1)
    defer { unsafe extras.deallocate() }  // Reason: allocated above.
    unsafe posix_spawnattr_init(extras)  // Reason: destroyed below.
    defer { unsafe posix_spawnattr_destroy(extras) }  // Reason: initialized above.
    var flags: Int16 = isNewSession ? Self.newSession : 0
    if let blocksSignals {
      var mask = sigset_t()
      _ = unsafe blocksSignals ? sigfillset(&mask) : sigemptyset(&mask)  // Reason: kept below.
      unsafe posix_spawnattr_setsigmask(extras, &mask)  // Reason: initialized above.
      flags |= Int16(POSIX_SPAWN_SETSIGMASK)
    }
    unsafe posix_spawnattr_setflags(extras, flags)  // Reason: initialized above.

    var child: pid_t = 0
    let code: Int32
    if environment == nil {
      code = unsafe posix_spawn(&child, path, actions, extras, words, environ)  // Reason: live.
    } else {
      code = unsafe posix_spawn(&child, path, actions, extras, words, variables)  // Reason: live.
    }
    guard code == 0 else { throw SystemError("cannot start \(path)", code) }
    return child
  }

  /// Waits for the end of a process.
  ///
  /// - Returns: The exit status, or minus the signal that ended it.
  static func wait(for process: Int32) throws -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {  // Reason: `status` outlives the call.
      guard errno == EINTR else { throw SystemError("cannot wait for \(process)", errno) }
    }
    // The low seven bits are the signal; without one, the next eight are the exit status.
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : -signal
  }
}
#endif
