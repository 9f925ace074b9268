private import _EventBusLocks

/// The recent posts of a bridge that may come back to its bus, by event and sequence.
final class LocalPosts: Sendable {
  private struct Key: Hashable {
    let event: String
    let sequence: UInt64
  }

  private struct State {
    var posts: [Key: LocalPost] = [:]
    var order: BoundedBuffer<Key>
  }

  private let state: Locked<State>

  init(limit: Int) { state = Locked(State(order: BoundedBuffer(limit: limit))) }

  func add(_ post: LocalPost, _ event: String, _ sequence: UInt64) {
    let key = Key(event: event, sequence: sequence)
    let forgotten = state.withLock { state in
      guard state.posts.updateValue(post, forKey: key) == nil else { return nil as LocalPost? }
      return state.order.append(key).flatMap { state.posts.removeValue(forKey: $0) }
    }
    withExtendedLifetime(forgotten) {}
  }

  /// Waits until the handlers of all posts of an event have finished, or the task is cancelled.
  func finished(_ event: String) async {
    let open = state.withLock { state in
      state.posts.filter { $0.key.event == event && $0.value.isOpen }.map(\.value)
    }
    for post in open {
      let isOver = Promise<Void>()
      post.whenComplete { _ in isOver.fulfill() }
      do throws(NATSError) { try await isOver.value() } catch { return }
    }
  }

  func post(_ event: String, _ sequence: UInt64) -> LocalPost? {
    state.withLock { $0.posts[Key(event: event, sequence: sequence)] }
  }
}
