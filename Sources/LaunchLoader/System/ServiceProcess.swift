#if canImport(Glibc)
@unsafe @preconcurrency private import Glibc  // Reason: `environ` is a variable of the C library; it is only read here.
#elseif canImport(Musl)
@unsafe @preconcurrency private import Musl  // Reason: `environ` is a variable of the C library; it is only read here.
#else
private import Darwin
#endif
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The environment of the process.
enum ProcessEnvironment {
  /// The current environment variables by name.
  ///
  /// Entries without `=` are skipped. If a name occurs twice, the first entry counts, as for `getenv`. The C
  /// library provides no lock for the environment: do not read it while another thread changes it.
  ///
  /// - Complexity: O(*n*) in the size of the environment.
  static var variables: [String: String] {
    #if canImport(Darwin)
    let table = unsafe _NSGetEnviron().pointee  // Reason: set up by the system before `main`.
    #else
    typealias Table = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
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
}

/// The process: its identity for a service manager, and its end.
enum ServiceProcess {
  /// The process identifier.
  static var identifier: Int32 { getpid() }

  /// The time of `CLOCK_MONOTONIC`, which service managers use, in microseconds.
  static var monotonicMicroseconds: UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)  // Reason: outlives the call.
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }

  /// The time that exit handlers have to finish, in milliseconds.
  private static let grace: Int32 = 1_000

  /// Ends the process after running its exit handlers.
  ///
  /// Further interrupts have no effect, so that they cannot cut short an exit handler that restores the
  /// terminal. The exit handlers have one second. If they block, for example on the lock of a stream whose
  /// reader has stopped reading, the process ends without them, with the same status.
  static func end(_ status: Int32) -> Never {
    let code = ServiceThread.start {
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
