import LaunchLoader
import Synchronization

/// Records the actions of the features and the states of the application, in order.
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

  /// Removes and returns the states recorded since the last call.
  func takeStates() -> [String] {
    let states = pages.withLock { pages in
      defer { pages.states = [] }
      return pages.states
    }
    return states.map { "\($0)" }
  }
}
