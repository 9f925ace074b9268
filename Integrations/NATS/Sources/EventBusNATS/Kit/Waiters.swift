/// Promises that are due when a counter has reached a number.
struct Waiters: Sendable {
  private var waiting: [(target: UInt64, promise: Promise<Void>)] = []

  /// Adds a promise.
  mutating func add(_ target: UInt64, _ promise: Promise<Void>) {
    waiting.append((target, promise))
  }

  /// Removes the promises that are due.
  mutating func take(reached: UInt64) -> [Promise<Void>] {
    guard !waiting.isEmpty else { return [] }
    let due = waiting.filter { $0.target <= reached }.map(\.promise)
    waiting.removeAll { $0.target <= reached }
    return due
  }
}
