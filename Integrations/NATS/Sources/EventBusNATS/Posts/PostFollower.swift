internal import EventBus
private import _EventBusLocks

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#elseif canImport(Glibc)
private import Glibc
#else
#error("Unknown C library: add it here.")
#endif

/// Follows the posts of one event on one bus, with its trace hook.
final class PostFollower: Sendable {
  private struct State {
    var token: Token?
    /// The posts in delivery, by thread; the innermost one is last.
    var stacks: [UInt: [LocalPost]] = [:]
    /// The posts with unfinished handlers.
    var posts: [Int: LocalPost] = [:]
  }

  private let name: String
  private let state = Locked(State())

  private init(_ name: String) { self.name = name }

  deinit {
    let (token, posts) = state.withLock { ($0.token.take(), $0.posts) }
    token?.cancel()
    for post in posts.values { post.complete(.unknown) }
  }

  /// The post in delivery on this thread.
  private var current: LocalPost? { state.withLock { $0.stacks[Self.thread]?.last } }

  private func note(_ event: TraceStep) {
    guard event.name == name else { return }
    let post = state.withLock { state in
      switch event.kind {
      case .began:
        let post = LocalPost()
        state.posts[event.post] = post
        state.stacks[Self.thread, default: []].append(post)
        return nil as LocalPost?
      case .ended:
        if state.stacks[Self.thread]?.popLast() != nil, state.stacks[Self.thread]?.isEmpty == true {
          state.stacks[Self.thread] = nil
        }
        return state.posts[event.post]
      default: return state.posts[event.post]
      }
    }
    guard let post, post.note(event.kind, event.registration?.id) else { return }
    state.withLock { _ = $0.posts.removeValue(forKey: event.post) }
  }

  private static var thread: UInt {
    #if canImport(Darwin)
    unsafe UInt(bitPattern: pthread_self())  // Reason: an identity.
    #else
    UInt(pthread_self())
    #endif
  }

  // MARK: The followers of the process

  /// A reason to follow an event: it leaves the bus durably, or it arrives there durably.
  enum Way: Sendable {
    case out
    case `in`
  }

  private struct Key: Hashable {
    let bus: ObjectIdentifier
    let event: String
  }

  private struct Ways {
    var outgoing = 0
    var incoming = 0
    var follower: PostFollower?
    var isFollowed: Bool { outgoing > 0 && incoming > 0 }
  }

  private struct Followers {
    var ways: [Key: Ways] = [:]
  }

  private static let followers = Locked(Followers())

  /// Notes that an event is carried durably in one direction; it is followed while it is carried in both.
  ///
  /// - Returns: The token, whose end ends the following.
  static func carry(_ event: String, _ way: Way, _ bus: EventBus) -> Token {
    let key = Key(bus: ObjectIdentifier(bus), event: event)
    let follower = PostFollower(event)
    let isNew = followers.withLock { followers in
      var ways = followers.ways[key] ?? Ways()
      if way == .out { ways.outgoing += 1 } else { ways.incoming += 1 }
      let isNew = ways.isFollowed && ways.follower == nil
      if isNew { ways.follower = follower }
      followers.ways[key] = ways
      return isNew
    }
    if isNew {
      let token = bus.addHooks(EventHooks(onTrace: { [weak follower] in follower?.note($0) }))
      follower.state.withLock { $0.token = token }
    }
    return Token {
      let ended = followers.withLock { followers in
        guard var ways = followers.ways[key] else { return nil as PostFollower? }
        if way == .out { ways.outgoing -= 1 } else { ways.incoming -= 1 }
        let ended = ways.isFollowed ? nil : ways.follower.take()
        followers.ways[key] = ways.outgoing + ways.incoming > 0 ? ways : nil
        return ended
      }
      withExtendedLifetime(ended) {}
    }
  }

  /// The post of an event in delivery on this thread, if the event is followed.
  static func current(_ event: String, _ bus: EventBus) -> LocalPost? {
    follower(event, bus)?.current
  }

  /// Whether an event is followed.
  static func follows(_ event: String, _ bus: EventBus) -> Bool { follower(event, bus) != nil }

  private static func follower(_ event: String, _ bus: EventBus) -> PostFollower? {
    let key = Key(bus: ObjectIdentifier(bus), event: event)
    return followers.withLock { $0.ways[key]?.follower }
  }
}
