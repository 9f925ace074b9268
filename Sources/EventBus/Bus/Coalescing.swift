/// Which waiting event a new one takes the place of, when events are enqueued.
///
/// The new event takes the position of the first one it matches, and that one is dropped. What waits is
/// matched however it was enqueued. Senders are the same when they are one living object; events without
/// a sender have no sender in common.
public enum Coalescing: Sendable {
  /// None: every event is delivered.
  case none
  /// One of the same name, whoever sent it.
  case name
  /// One of the same sender, whatever its name.
  case sender
  /// One of the same name and the same sender, or of the same name where neither has one.
  case nameAndSender
}
