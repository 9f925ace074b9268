/// A consumer of a stream that the server has.
package struct Consumer: Sendable {
  /// The subject to which the server delivers.
  package var deliverySubject: String
  /// The group that shares the deliveries.
  package var group: String
  /// The number of the last message before the first unacknowledged one.
  package var floor: UInt64
  /// Whether the consumer is new.
  package var isNew: Bool
  /// The time after which the server delivers an unanswered message again, as set by the process that created
  /// the consumer.
  package var answerTimeout: Duration
  /// The time of the stream's creation, in nanoseconds.
  var streamCreated: Int64 = 0

  /// Creates a description.
  package init(
    deliverySubject: String,
    group: String,
    floor: UInt64,
    isNew: Bool,
    answerTimeout: Duration
  ) {
    self.deliverySubject = deliverySubject
    self.group = group
    self.floor = floor
    self.isNew = isNew
    self.answerTimeout = answerTimeout
  }
}
