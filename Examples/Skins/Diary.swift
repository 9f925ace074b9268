import Synchronization

/// What the features did, in the order in which they did it.
final class Diary: Sendable {
  static let shared = Diary()

  private let lines = Mutex<[String]>([])

  var notes: [String] { lines.withLock { $0 } }

  func note(_ line: String) { lines.withLock { $0.append(line) } }
}
