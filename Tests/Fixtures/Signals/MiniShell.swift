#if os(Linux) || os(macOS)

/// A shell with one job, which it runs in the foreground of its terminal, standard input.
///
/// The job is the program at a path, with a word as its argument. The shell says when it stops, continues it,
/// and says how it ends. It does not wait for one that watches it, but for a line to read.
enum MiniShell {
  static func run(_ path: String, _ word: String) throws -> Never {
    // A shell in the background may change the foreground group only if it ignores this signal.
    Handlers.ignore(SIGTTOU)
    let job = try start(path, word)
    _ = tcsetpgrp(0, job)
    say("in the foreground")
    if word == "watch" {
      _ = readLine()
      exit(0)
    }
    var status: Int32 = 0
    while unsafe waitpid(job, &status, WUNTRACED) == job {  // Reason: outlives the call.
      if status & 0xff == 0x7f {
        say("stopped by \(status >> 8 & 0xff)")
        kill(job, SIGCONT)
      } else {
        let signal = status & 0x7f
        say(signal == 0 ? "exited \(status >> 8 & 0xff)" : "ended by \(signal)")
        exit(0)
      }
    }
    exit(1)
  }

  /// Starts this program as a job, in its own process group.
  private static func start(_ path: String, _ word: String) throws -> pid_t {
    let line = unsafe [strdup(path), strdup(word), nil]  // Reason: never freed.
    #if canImport(Darwin)
    let attributes = UnsafeMutablePointer<posix_spawnattr_t?>.allocate(capacity: 1)
    #else
    let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
    #endif
    defer { unsafe attributes.deallocate() }  // Reason: allocated above.
    unsafe posix_spawnattr_init(attributes)  // Reason: outlives the call.
    let flags = Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(attributes, flags)  // Reason: initialized.
    unsafe posix_spawnattr_setpgroup(attributes, 0)  // Reason: initialized.
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)  // Reason: outlives the call.
    unsafe sigaddset(&defaults, SIGTTOU)  // Reason: outlives the call.
    unsafe posix_spawnattr_setsigdefault(attributes, &defaults)  // Reason: ditto.
    var job: pid_t = 0
    let code = unsafe posix_spawn(&job, path, nil, attributes, line, environ)  // Reason: live.
    guard code == 0 else { throw NoJob(code: code) }
    return job
  }

  private struct NoJob: Error {
    let code: Int32
  }
}
#endif
