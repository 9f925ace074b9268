#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The end of the process.
internal enum ProcessExit {
  /// Ends the process, after what was registered for its end.
  internal static func now(_ status: Int32) -> Never { exit(status) }
}
