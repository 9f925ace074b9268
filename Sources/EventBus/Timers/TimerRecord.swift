/// The state of one timer.
///
/// A part of its table, and an object only for mutation in place. It is never handed out.
final class TimerRecord<Instant: InstantProtocol> {
  enum Phase: Sendable {
    /// In the heap.
    case waiting
    /// Due, and waiting for its executor.
    case queued
    /// Inside its handler.
    case running
    /// Not in the heap because of a pause.
    case suspended
  }

  /// The registration number.
  let order: UInt64
  var schedule: TimerSchedule<Instant>
  /// The handler, or `nil` once the timer has ended.
  var body: (any TimerBody)?
  let registration: TimerRegistration
  var phase = Phase.waiting
  var isPaused = false

  init(
    order: UInt64,
    _ schedule: TimerSchedule<Instant>,
    _ body: any TimerBody,
    _ registration: TimerRegistration
  ) {
    self.order = order
    self.schedule = schedule
    self.body = body
    self.registration = registration
  }

  /// A Boolean value that indicates whether the timer ended while its handler is running.
  var hasEnded: Bool { body == nil }
}
