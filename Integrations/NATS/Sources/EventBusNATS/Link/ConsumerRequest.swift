/// The settings of a consumer, which the server creates if it does not exist.
package struct ConsumerRequest: Sendable {
  /// The stream.
  package var stream: String
  /// The name of the consumer.
  package var name: String
  /// The subject of the events.
  package var subject: String
  /// The time after which the server delivers an unanswered message again.
  package var answerTimeout: Duration
  /// The largest number of unanswered messages.
  package var window: Int
  /// The time for which the server keeps the consumer while nothing listens; `nil` means forever.
  var keptFor: Duration?
  /// The number of stored events with which a new consumer begins; `nil` means all.
  var history: Int?
  /// The place from which a consumer that was deleted goes on.
  var resumption: Resumption?

  /// A place in a stream.
  struct Resumption: Sendable {
    /// The number of the last message before the first unacknowledged one.
    var floor: UInt64
    /// The time of the stream's creation, by which it is distinguished from a later one of its name.
    var streamCreated: Int64
  }
}
