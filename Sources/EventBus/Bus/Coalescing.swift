/// The waiting events that a newly enqueued event replaces.
///
/// Every waiting event that matches is removed, and the new event takes the position of the first. Waiting
/// events match regardless of the option they were enqueued with. Senders are compared by identity; events
/// without a sender have no sender in common.
public enum Coalescing: Sendable {
  /// Replaces no event: every event is delivered.
  case none
  /// Replaces events of the same name, whatever their sender.
  case name
  /// Replaces events of the same name and the same sender, or of the same name if neither has a sender.
  case nameAndSender
}
