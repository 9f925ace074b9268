import Testing

/// The tests that deliver signals to every listener of this process, or change its dispositions: one at a time.
///
/// The applications of other tests listen to no signals.
@Suite("Signals within this process", .serialized)
enum ProcessSignalTests {}
