internal import Synchronization

/// What a token stands for: the side of a registration that knows how to end it.
///
/// A target serves one token or many; the handle tells it which. Every member may be called on any
/// thread, under no lock.
@usableFromInline
package class TokenTarget: @unchecked Sendable {  // Reason: stateless.
  /// Creates a target.
  package init() {}

  /// Ends the registration.
  ///
  /// Called once, by the token that was cancelled.
  package func end(_ handle: UInt) {}

  /// Ends the registration of a token that was cancelled.
  ///
  /// - Returns: The handle from now on, for ``waitUntilFinished(_:)``.
  package func conclude(_ handle: UInt) -> UInt {
    end(handle)
    return handle
  }

  /// Whether the registration is still there.
  ///
  /// Asked only before ``end(_:)``.
  package func isActive(_ handle: UInt) -> Bool { true }

  /// Waits until no call is running, after the registration has ended.
  ///
  /// The handle is what ``conclude(_:)`` returned. Returns early when the task is cancelled.
  package func waitUntilFinished(_ handle: UInt) async {}

  /// Stops or lets through what comes, counted: as many resumes as pauses let it through again.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - change: One more pause, or one less.
  ///   - hasEnded: Whether the token was cancelled, in which case nothing is done.
  package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {}

  /// Sees to it that no call begins any more, ahead of ``end(_:)``.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - hasEnded: Whether the token was cancelled, in which case nothing is done.
  package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) {}

  /// Tells a token when the registration ends by itself.
  ///
  /// - Returns: `false` if that has happened already.
  package func watch(_ handle: UInt, by token: any Cancellable) -> Bool { isActive(handle) }
}

/// Something that can be told that what it stands for has ended.
package protocol Cancellable: AnyObject, Sendable {
  /// Ends it. Doing so twice does nothing.
  func cancel()

  /// Whether it has ended, or is about to.
  ///
  /// Asked with locks held.
  var hasEnded: Bool { get }
}

/// A reference that does not keep its object alive, to be kept in a value behind a lock.
package struct WeakCancellable: Sendable {
  /// The object, while it lives.
  ///
  /// Loaded outside locks only: the load may be the last to let it go.
  package weak let object: (any Cancellable)?

  /// Refers to an object.
  package init(_ object: any Cancellable) { self.object = object }
}

/// An action that a token runs when it ends.
package final class CancelAction: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private struct State {
    var action: (@Sendable () -> Void)?
  }

  private let state: Locked<State>
  private let fence: (@Sendable () async -> Void)?

  /// Creates a target that runs an action once.
  ///
  /// - Parameters:
  ///   - fence: Waits, after the action, until no call is running.
  ///   - action: Ends the registration.
  package init(
    fence: (@Sendable () async -> Void)? = nil,
    _ action: @escaping @Sendable () -> Void
  ) {
    self.fence = fence
    state = Locked(State(action: action))
  }

  override package func end(_ handle: UInt) {
    let action = state.withLock { $0.action.take() }
    action?()
  }

  override package func waitUntilFinished(_ handle: UInt) async { await fence?() }
}

/// Keeps registrations that are known by numbers, and tells a token about its own.
///
/// The members mean what those of ``TokenTarget`` mean.
package protocol KeyedRegistrations: AnyObject, Sendable {
  /// Ends a registration; nothing happens if it has ended.
  func end(_ key: UInt)

  /// Ends a registration without its token, which is told.
  func endByItself(_ key: UInt)

  /// Whether a registration is still there.
  func isActive(_ key: UInt) -> Bool

  /// Tells a token when its registration ends by itself.
  ///
  /// - Returns: `false` if that has happened already.
  func watch(_ key: UInt, by token: any Cancellable) -> Bool

  /// Stops or lets through what comes, counted.
  func changePauses(_ key: UInt, by change: Int)

  /// Waits until no call is running.
  func waitUntilFinished(_ key: UInt) async
}

/// The way from a token, or from the lifetime of an owner, to one of many registrations.
package final class KeyedTarget: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: constant.
{
  private let registrations: any KeyedRegistrations
  private let key: UInt

  /// Names a registration.
  package init(_ registrations: any KeyedRegistrations, key: UInt) {
    self.registrations = registrations
    self.key = key
  }

  package func lifetimeEnded() { registrations.endByItself(key) }

  override package func end(_ handle: UInt) { registrations.end(key) }

  override package func isActive(_ handle: UInt) -> Bool { registrations.isActive(key) }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    registrations.watch(key, by: token)
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    registrations.changePauses(key, by: change)
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await registrations.waitUntilFinished(key)
  }
}

/// Keeps registrations in groups, and tells a token about its own.
///
/// A registration is known by the number of its group and a number of its own. The members mean what
/// those of ``TokenTarget`` mean.
package protocol GroupedRegistrations: AnyObject, Sendable {
  /// Ends a registration; nothing happens if it has ended.
  func end(_ number: UInt, inGroup group: UInt)

  /// Whether a registration is still there.
  func isActive(_ number: UInt, inGroup group: UInt) -> Bool

  /// Tells a token when its registration ends by itself.
  ///
  /// - Returns: `false` if that has happened already.
  func watch(_ number: UInt, inGroup group: UInt, by token: any Cancellable) -> Bool

  /// Stops or resumes a registration, counted; nothing happens if it has ended.
  func changePauses(_ number: UInt, inGroup group: UInt, by change: Int)

  /// Waits until no call is running.
  func waitUntilFinished(_ number: UInt, inGroup group: UInt) async
}

/// The way from tokens to the registrations of one group, whose numbers are the tokens' handles.
///
/// One object for the whole group: a registration costs a token, and no target of its own. It does not
/// keep the registrations.
package final class GroupTarget: TokenTarget, @unchecked Sendable {  // Reason: constants.
  private weak let registrations: (any GroupedRegistrations)?
  private let group: UInt

  /// Names a group.
  package init(_ registrations: any GroupedRegistrations, group: UInt) {
    self.registrations = registrations
    self.group = group
  }

  override package func end(_ handle: UInt) { registrations?.end(handle, inGroup: group) }

  override package func isActive(_ handle: UInt) -> Bool {
    registrations?.isActive(handle, inGroup: group) ?? false
  }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    registrations?.watch(handle, inGroup: group, by: token) ?? false
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    registrations?.changePauses(handle, inGroup: group, by: change)
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await registrations?.waitUntilFinished(handle, inGroup: group)
  }
}

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
