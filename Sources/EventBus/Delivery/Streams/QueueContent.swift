/// What a report says of the events that wait for one handler.
package struct QueueContent: Sendable {
  /// The number of events that wait for the handler, or in the buffer of the stream.
  let waitingCount: Int
  /// The number of events discarded before they reached the handler.
  var droppedCount = 0
  /// Whether this is the buffer of a stream.
  var isStream = false
}
