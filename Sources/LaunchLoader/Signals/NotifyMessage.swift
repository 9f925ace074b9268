/// What a service tells the manager that started it: the lines of `sd_notify(3)`.
package enum NotifyMessage: Sendable, Equatable {
  /// It has started, or has read its configuration anew.
  case ready
  /// It begins to read its configuration anew; ``ready`` says when that is done.
  ///
  /// The manager wants to know when, on the clock that `CLOCK_MONOTONIC` reads, to tell this answer from
  /// one to an earlier request.
  case reloading(microseconds: UInt64)
  /// It begins to end.
  case stopping
  /// It is alive.
  case watchdog

  /// The lines.
  package var text: String {
    switch self {
    case .ready: "READY=1"
    case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    }
  }
}
