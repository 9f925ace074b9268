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

/// What the handlers of a bus do with an event that was posted there and leaves the process.
///
/// When a durable event comes back to the bus on which it was posted, its handlers have been called by the post.
/// Whether it may be acknowledged depends on what they have done.
final class LocalPost: Sendable {
  /// What has become of the event.
  enum Outcome: Sendable, Equatable {
    /// Every handler has finished.
    case done
    /// No handler was called.
    case noHandler
    /// A handler failed, or did not get the event.
    case failed(String)
    /// The post was not followed.
    case unknown
  }

  private struct State {
    /// The registrations whose handlers have not finished.
    var open: Set<Int> = []
    var failure: String?
    var reached: Int?
    var isBound = false
    var outcome: Outcome?
    var waiters: [@Sendable (Outcome) -> Void] = []
  }

  private let state = Locked(State())

  /// Calls a closure with the outcome, at once if it is known.
  func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiters.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }

  /// Whether the outcome is not known yet.
  var isOpen: Bool { state.withLock { $0.outcome == nil } }

  /// Gives this post the outcome of another one.
  func bind(to post: LocalPost) {
    state.withLock { $0.isBound = true }
    post.whenComplete { self.complete($0) }
  }

  /// Ends this post without an outcome, unless it is bound.
  func endUnlessBound() {
    if !state.withLock(\.isBound) { complete(.unknown) }
  }

  func complete(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      guard state.outcome == nil else { return [] as [@Sendable (Outcome) -> Void] }
      state.outcome = outcome
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(outcome) }
  }

  /// Notes a step of the post.
  ///
  /// - Returns: Whether it was the last one.
  fileprivate func note(_ step: TraceEvent.Step, _ registration: Int?) -> Bool {
    let outcome = state.withLock { state in
      switch (step, registration) {
      case (.began, _): break
      case (.ended(let reached), _): state.reached = reached
      case (.queued, let id?), (.started, let id?): state.open.insert(id)
      case (.finished(let error), let id?):
        state.open.remove(id)
        if let error { state.failure = state.failure ?? "a handler failed: \(error)" }
      case (.skipped(let reason), let id?):
        state.open.remove(id)
        state.failure = state.failure ?? Self.failure(reason)
      default: break
      }
      guard let reached = state.reached, state.open.isEmpty else { return nil as Outcome? }
      if let failure = state.failure { return .failed(failure) }
      // One of those reached is the observer of the bridges.
      return reached > 1 ? .done : .noHandler
    }
    guard let outcome else { return false }
    complete(outcome)
    return true
  }

  /// Why an event that skipped a handler counts as not handled, as after `postAndWait`.
  private static func failure(_ reason: TraceEvent.SkipReason) -> String? {
    switch reason {
    case .declined, .spent, .excluded, .tooNew: nil
    case .cancelled: "a handler was cancelled"
    case .ownerLost, .paused, .dropped, .intercepted: "a handler dropped the event"
    }
  }
}

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
      post.whenComplete { _ in isOver.fulfil(.success(())) }
      do throws(NATSError) { try await isOver.value() } catch { return }
    }
  }

  func post(_ event: String, _ sequence: UInt64) -> LocalPost? {
    state.withLock { $0.posts[Key(event: event, sequence: sequence)] }
  }
}

/// Follows the posts of one event on one bus, with its trace hook.
final class PostFollower: Sendable {
  private struct State {
    var token: Token?
    /// The posts that are being delivered, by thread; the innermost one is last.
    var stacks: [UInt: [LocalPost]] = [:]
    /// The posts that have a handler to finish.
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

  /// The post that this thread is delivering.
  private var current: LocalPost? { state.withLock { $0.stacks[Self.thread]?.last } }

  private func note(_ event: TraceEvent) {
    guard event.name == name else { return }
    let post = state.withLock { state in
      switch event.step {
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
    guard let post, post.note(event.step, event.registration?.id) else { return }
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

  /// Why an event is followed: it leaves the bus durably, and it arrives there durably.
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

  /// Notes that an event is carried durably in one way; it is followed while it is carried in both.
  ///
  /// - Returns: The token, which ends that.
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

  /// The post of an event that this thread is delivering, if it is followed.
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
