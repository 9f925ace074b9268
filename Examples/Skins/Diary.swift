import LaunchLoader
import Synchronization

/// What the features did, and the states of the application, in the order in which that was.
final class Diary: Sendable {
  private struct Pages: Sendable {
    var notes: [String] = []
    var states: [AppState] = []
  }

  static let shared = Diary()

  private let pages = Mutex(Pages())

  var notes: [String] { pages.withLock { $0.notes } }

  func note(_ line: String) { pages.withLock { $0.notes.append(line) } }

  func note(_ state: AppState) { pages.withLock { $0.states.append(state) } }

  /// The states that were noted since this was last asked.
  func takeStates() -> [String] {
    let states = pages.withLock { pages in
      defer { pages.states = [] }
      return pages.states
    }
    return states.map { "\($0)" }
  }
}
