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

/// What the operating system told the process about its surroundings.
enum ProcessEnvironment {
  /// The environment variables by name, as they are at this moment.
  ///
  /// An entry without `=` is left out; of two with one name the first counts, as for `getenv`.
  /// The C library has no lock for them: do not read while another thread sets one.
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

/// What a service manager has to know of this process.
enum ServiceProcess {
  /// The number of the process.
  static var identifier: Int32 { getpid() }

  /// The time on the clock that service managers go by, in microseconds.
  static var monotonicMicroseconds: UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)  // Reason: outlives the call.
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}

/// The end of the process.
enum ProcessExit {
  /// How long what was registered for the end of the process has for itself, in milliseconds.
  private static let grace: Int32 = 1_000

  /// Ends the process, after what was registered for its end.
  ///
  /// Further interrupts have no effect, so that they do not cut short what gives the terminal back. It has a
  /// second for that: should the end wait for something that does not come, as for the lock of a stream whose
  /// reader has stopped reading, the process ends without it, with the same status.
  static func now(_ status: Int32) -> Never {
    let code = ServiceThread.start {
      _ = poll(nil, 0, grace)
      _exit(status)
    }
    // Without a thread, one more interrupt ends the process as the system does by itself.
    if code != 0 { restoreDefaults() }
    exit(status)
  }

  private static func restoreDefaults() {
    for number in [SIGTERM, SIGINT] { SignalDisposition.byDefault.install(for: number) }
  }
}
