#if os(Linux) || os(macOS)

/// The resources that a process leaves to its descendants.
enum Descendants {
  /// The number of pipes, beyond the first three descriptors, that an executed program would
  /// inherit.
  static var leaks: Int {
    (3..<256).count { descriptor in
      var facts = stat()
      let flags = fcntl(Int32(descriptor), F_GETFD)
      guard flags >= 0, flags & FD_CLOEXEC == 0 else { return false }
      guard unsafe fstat(Int32(descriptor), &facts) == 0 else { return false }  // Reason: as above.
      return facts.st_mode & S_IFMT == S_IFIFO
    }
  }

  /// Forks, sends a signal to the child, which does nothing but wait, and says how it ended.
  static func signalForkedChild(_ number: Int32) {
    let child = systemFork()
    if child == 0 {
      while true { pause() }
    }
    kill(child, number)
    var status: Int32 = 0
    _ = unsafe waitpid(child, &status, 0)  // Reason: outlives the call.
    say("the child ended by \(status & 0x7f)")
  }
}

/// The system call `fork`, which the C module hides because almost nothing works in a child of a
/// program with threads.
@_silgen_name("fork")
private func systemFork() -> Int32
#endif
