internal import Foundation

/// The posts on this thread that have called some of their mirrors, but not all.
///
/// Two mirrors of one post share its journey, although neither a bus nor a center identifies the post that calls a
/// handler. The first one that is called knows which others the same post calls: those of the same source and sender.
/// Posts on a thread are nested in one another, and all observers of a post are called on its thread, so the calls
/// of the others follow before the post ends. If one does not follow, because it has ended or began during the post,
/// the entry remains until the next call of its first mirror puts another one in its place. An entry does not count
/// once a mirror of its source has been removed: otherwise, without its first mirror, it would mistake a later post for
/// its own.
///
/// ## Thread safety
///
/// Used by its thread only.
final class OpenPosts {
  private struct Post {
    let journey: Journey
    /// The number of posts by mirrors around it.
    let depth: Int
    /// The numbers of the mirrors that have not been called.
    var expected: Set<UInt>
    /// A number that changes whenever a mirror of the source is removed.
    let lastRemoval: Int?
  }

  private static let key = "EventBus.NotificationCenterBridge.openPosts"
  /// Posts in progress are nested at most this deep in each other before the oldest are forgotten.
  private static let limit = 64

  private var posts: [Post] = []
  private var depth = 0

  private static var ofThread: OpenPosts {
    let storage = Thread.current.threadDictionary
    if let known = storage[key] as? OpenPosts { return known }
    let made = OpenPosts()
    storage[key] = made
    return made
  }

  /// Runs a post by a mirror; posts of its handlers have separate journeys.
  static func enter(_ body: () -> Void) {
    let open = ofThread
    open.depth += 1
    body()
    open.depth -= 1
    let depth = open.depth
    open.posts.removeAll { $0.depth > depth }
  }

  /// Returns the journey of the post that calls a mirror: that of a mirror called before, or a new one.
  ///
  /// - Parameters:
  ///   - mirror: The mirror.
  ///   - others: Returns the other mirrors that the post calls, if this one is the first.
  /// - Returns: The journey.
  static func journey(by mirror: Mirror, with others: () -> [Mirror]) -> Journey {
    let open = ofThread
    let (number, depth) = (mirror.number, open.depth)
    let lastRemoval = Routes.shared.lastRemoval(at: mirror.source)
    let index = open.posts.lastIndex { post in
      post.depth == depth && post.lastRemoval == lastRemoval && post.expected.contains(number)
    }
    if let index {
      // The posts after it have ended, because they began during it.
      open.posts.removeSubrange((index + 1)...)
      open.posts[index].expected.remove(number)
      let journey = open.posts[index].journey
      if open.posts[index].expected.isEmpty { open.posts.remove(at: index) }
      return journey
    }
    let journey = Journey()
    let expected = Set(others().map(\.number)).subtracting([number])
    if !expected.isEmpty {
      if open.posts.count == limit { open.posts.removeFirst() }
      open.posts.append(
        Post(journey: journey, depth: depth, expected: expected, lastRemoval: lastRemoval)
      )
    }
    return journey
  }
}
