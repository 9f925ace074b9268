/// What a report says of the events that wait for one handler.
package struct QueueContent: Sendable {
  /// The number of events that wait for the handler, or in the buffer of the stream.
  package let waitingCount: Int
  /// The number of events discarded before they reached the handler.
  package let droppedCount: Int
  /// A Boolean value that indicates whether this is the buffer of a stream.
  let isStream: Bool

  /// Describes a queue.
  package init(waitingCount: Int, droppedCount: Int = 0, isStream: Bool = false) {
    (self.waitingCount, self.droppedCount) = (waitingCount, droppedCount)
    self.isStream = isStream
  }
}
