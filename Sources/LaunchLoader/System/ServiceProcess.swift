private import EventBus

#if canImport(Glibc)
@unsafe @preconcurrency private import Glibc  // Reason: `environ` is a variable of the C library; it is only read here.
#elseif canImport(Musl)
@unsafe @preconcurrency private import Musl  // Reason: `environ` is a variable of the C library; it is only read here.
#elseif canImport(Darwin)
private import Darwin
#if os(macOS)
private import MachO.dyld
#endif
#else
#error("Unknown C library: add it here.")
#endif

/// The process: its identity, its environment and terminal, its stop and its end.
enum ServiceProcess {
  /// The process identifier.
  static var identifier: Int32 { getpid() }

  /// The identifier of the parent process, or of the process that adopted this one after the parent ended.
  static var parent: Int32 { getppid() }

  /// True if the process has a controlling terminal, regardless of its open
  /// descriptors.
  ///
  /// `/dev/tty` names that terminal and cannot be opened without one (POSIX.1-2024, 10.1).
  static var hasTerminal: Bool {
    let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    let end = unsafe open("/dev/tty", flags)  // Reason: a terminated string.
    if end >= 0 { close(end) }
    return end >= 0
  }

  #if os(macOS)
  /// The path of the program, as it was started; empty if the system does not say.
  static var executablePath: String {
    var size: UInt32 = 0
    _ = unsafe _NSGetExecutablePath(nil, &size)  // Reason: writes only the size.
    var path = [CChar](repeating: 0, count: Int(size) + 1)
    let status = unsafe _NSGetExecutablePath(&path, &size)  // Reason: as large as it wants.
    guard status == 0 else { return "" }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  #endif

  /// The current environment variables by name.
  ///
  /// Entries without `=` are skipped. If a name occurs twice, the first entry is used, as for `getenv`. The
  /// C library provides no lock for the environment: do not read it while another thread changes it.
  ///
  /// - Complexity: O(*n*) in the size of the environment.
  static var environment: [String: String] {
    typealias Table = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    #if canImport(Darwin)
    // The annotations of its header differ between systems.
    let table: Table? = unsafe _NSGetEnviron().pointee  // Reason: set up before `main`.
    #else
    let table: Table? = unsafe environ  // Reason: a read of one pointer.
    #endif
    var variables: [String: String] = [:]
    guard var entry = unsafe table else { return variables }  // Reason: null after `clearenv`.
    while let text = unsafe entry.pointee {  // Reason: the table ends with a null pointer.
      let assignment = unsafe String(cString: text)  // Reason: entries are zero-terminated.
      if let equals = assignment.firstIndex(of: "=") {
        let name = String(assignment[..<equals])
        if variables[name] == nil {
          variables[name] = String(assignment[assignment.index(after: equals)...])
        }
      }
      unsafe entry += 1  // Reason: the null pointer has not been met.
    }
    return variables
  }

  /// Removes an environment variable.
  ///
  /// Do not call it while another thread uses the environment: see ``environment``.
  static func removeVariable(_ name: String) {
    _ = unsafe unsetenv(name)  // Reason: a terminated string.
  }

  /// The time of `CLOCK_MONOTONIC`, which service managers use, in microseconds.
  static var monotonicMicroseconds: UInt64 {
    // The layout of `timespec` on systems with 64 bits. Its members belong to another module than `Glibc` as soon as a
    // file of the module that is compiled earlier imports `Synchronization` (Swift 6.3, whole modules).
    var time = (seconds: 0, nanoseconds: 0)
    unsafe withUnsafeMutablePointer(to: &time) { time in  // Reason: the same layout.
      unsafe time.withMemoryRebound(to: timespec.self, capacity: 1) { time in  // Reason: as above.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, time)  // Reason: outlives the call.
      }
    }
    return UInt64(time.seconds) * 1_000_000 + UInt64(time.nanoseconds) / 1_000
  }

  /// Stops the process as `SIGTSTP` does by default.
  ///
  /// Follows W. R. Stevens, S. A. Rago, Advanced Programming in the UNIX Environment, 10.21: restores the
  /// default disposition, unblocks and raises the signal, then restores mask and disposition. `raise` sends
  /// the signal to the calling thread, so it takes effect before `raise` returns. A signal sent to the
  /// process could be taken later by another thread, when our handler is installed again.
  ///
  /// The caller must prevent other changes of the disposition meanwhile. Returns when the process is
  /// continued, or immediately if its process group is orphaned, because the system does not stop such a
  /// process.
  static func stop() {
    let disposition = SignalDisposition.current(of: SIGTSTP)
    SignalDisposition.byDefault.install(for: SIGTSTP)
    var stop = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&stop)  // Reason: outlives the call.
    unsafe sigaddset(&stop, SIGTSTP)  // Reason: outlives the call.
    unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &old)  // Reason: both outlive the call.
    raise(SIGTSTP)
    unsafe pthread_sigmask(SIG_SETMASK, &old, nil)  // Reason: filled above.
    disposition?.install(for: SIGTSTP)
  }

  /// The time that exit handlers have to finish, in milliseconds.
  private static let grace: Int32 = 1_000

  /// Ends the process after running its exit handlers.
  ///
  /// Further interrupts have no effect, so that they cannot cut short an exit handler that restores the
  /// terminal. The exit handlers have one second. If they block, for example on the lock of a stream whose
  /// reader has stopped reading, the process ends without them, with the same status.
  static func end(_ status: Int32) -> Never {
    let code = runOnThread {
      _ = poll(nil, 0, grace)
      _exit(status)
    }
    // Without the watchdog thread, restore the default action so that one more interrupt ends the process.
    for number in [SIGTERM, SIGINT] where code != 0 {
      SignalDisposition.byDefault.install(for: number)
    }
    exit(status)
  }
}

/// Threads of the operating system outside the pool of the concurrency runtime.
extension ServiceProcess {
  /// Unblocks the given signals on the calling thread and blocks all others.
  static func unblockSignals(where isWanted: (Int32) -> Bool) {
    var mask = sigset_t()
    unsafe sigfillset(&mask)  // Reason: outlives the call.
    for number in UnixSignal.numbers where isWanted(number) {
      unsafe sigdelset(&mask, number)  // Reason: outlives the call.
    }
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)  // Reason: outlives the call.
  }

  /// Runs code on a new, detached thread with all signals blocked, so that no signal handler runs on it.
  ///
  /// - Parameter body: The code to run on the thread.
  /// - Returns: Zero, or an error number.
  static func runOnThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
    // A thread inherits the mask of the thread that creates it.
    var all = sigset_t()
    var old = sigset_t()
    unsafe sigfillset(&all)  // Reason: outlives the call.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &old)  // Reason: both outlive the call.
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }  // Reason: filled above.
    return startThread(body)
  }
}
