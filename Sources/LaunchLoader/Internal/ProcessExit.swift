#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The end of the process.
internal enum ProcessExit {
  /// How long what was registered for the end of the process has for itself, in milliseconds.
  private static let grace: Int32 = 1_000

  /// Ends the process, after what was registered for its end.
  ///
  /// Further interrupts have no effect, so that they do not cut short what gives the terminal back. It has a
  /// second for that: should the end wait for something that does not come, as for the lock of a stream whose
  /// reader has stopped reading, the process ends without it, with the same status.
  internal static func now(_ status: Int32) -> Never {
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
