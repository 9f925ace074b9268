/// Adds up the payloads that handlers receive: the work of each delivery, for every subject.
///
/// Also serves as the owner in the rows about owners.
final class Sink: @unchecked Sendable {  // Reason: each is used by one thread at a time.
  private(set) var total = 0

  func add(_ value: Int) {
    total &+= value
  }
}
