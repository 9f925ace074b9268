internal import Synchronization

/// The number of calls of one handler, counted by the posts where that is exact.
///
/// A post is counted by the very addition that announces it to the reclamation. From then on the calls of
/// a handler without conditions need no counter of their own: they are the posts that arrived, less those
/// that passed it over, each of which says so (``addMissed()``).
///
/// That holds once it is certain which posts call the handler. A post that was running when the handler
/// was registered may or may not find it, so at first every call is counted by itself (``add()``). A post
/// that makes such a call ends that state when it is the only one inside (``settle(in:while:)``): every other
/// post has left, so that what it did is in the count; and every later one will find the handler.
///
/// **Why that is exact.** The post reads the arrivals with no other reader inside, then this count, then
/// the arrivals again. If those have not changed, no other post was inside at any moment in between: one
/// that arrived would be inside still, or would have raised the arrivals. So both numbers speak of the
/// same posts, all of which have left but the reading one, which has counted its call. Posts that arrive
/// afterwards are in the arrivals only; what they add to ``add()`` before they see the change is no
/// longer looked at, and what they add to ``addMissed()`` belongs to the difference. Two posts cannot
/// settle a count at the same time, since neither would be alone; one that decided to count before another
/// settled looks again once it is alone. `CallCountModelTests` searches every interleaving.
package struct CallCount: ~Copyable, Sendable {
  /// The calls that were counted by themselves.
  private let alone = Atomic<UInt>(0)
  /// Once settled, the posts that arrived and are no calls, wrapping.
  private let missed = Atomic<UInt>(0)

  /// Counts one call by itself.
  package borrowing func add() { alone.wrappingAdd(1, ordering: .releasing) }

  /// Counts one post that passed the handler over.
  package borrowing func addMissed() { missed.wrappingAdd(1, ordering: .releasing) }

  /// Lets posts count the calls from now on, if that is exact.
  ///
  /// - Parameters:
  ///   - list: The list that the calling post is in; it has counted its own call.
  ///   - isCounting: Returns whether calls are still counted by themselves.
  /// - Returns: Whether this call has settled the count: it is to be noted before the post leaves.
  package borrowing func settle(in list: ObserverList, while isCounting: () -> Bool) -> Bool {
    guard let posts = list.postCountIfAlone, isCounting() else { return false }
    let calls = alone.load(ordering: .acquiring)
    let former = missed.load(ordering: .acquiring)
    guard list.postCountIfAlone == posts else { return false }
    missed.wrappingAdd(posts &- calls &- former, ordering: .releasing)
    return true
  }

  /// The calls that were counted by themselves.
  package var counted: Int { Int(clamping: alone.load(ordering: .acquiring)) }

  /// Derives the calls that the posts have counted.
  ///
  /// - Parameter posts: Returns the number of posts that have arrived so far.
  /// - Returns: The number of calls, those included that were counted by themselves.
  package borrowing func derived(from posts: () -> UInt) -> Int {
    // Read first: a post that is missed has arrived, so that the difference is not negative.
    let missed = missed.load(ordering: .acquiring)
    return max(0, Int(bitPattern: posts() &- missed))
  }
}
