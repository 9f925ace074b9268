/// Which waiting events a new one takes the place of, when events are enqueued.
///
/// Every waiting event that matches is removed, and the new one takes the position of the first. What waits
/// is matched however it was enqueued. Senders are the same when they are one object; events without a sender
/// have no sender in common.
public enum Coalescing: Sendable {
  /// None: every event is delivered.
  case none
  /// Those of the same name, whatever their sender.
  case name
  /// Those of the same sender, whatever their name.
  case sender
  /// Those of the same name and the same sender, or of the same name where neither has one.
  case nameAndSender
}
