/// Where handlers leave what they were given: the work that every subject's delivery does.
///
/// Also serves as the owner in the rows about owners.
final class Sink: @unchecked Sendable {  // Reason: each is used by one thread at a time.
  private(set) var total = 0

  func add(_ value: Int) {
    total &+= value
  }
}
