#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// What a service manager has to know of this process.
internal enum ServiceProcess {
  /// The number of the process.
  internal static var identifier: Int32 { getpid() }

  /// The time on the clock that service managers go by, in microseconds.
  internal static var monotonicMicroseconds: UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)  // Reason: outlives the call.
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}
