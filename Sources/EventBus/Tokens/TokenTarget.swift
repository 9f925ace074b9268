internal import Synchronization

/// An object that ends and pauses registrations on behalf of their tokens.
///
/// A target serves one token or many; the handle identifies the registration. Every member may be called
/// on any thread and is called under no lock.
@usableFromInline
package class TokenTarget: @unchecked Sendable {  // Reason: stateless.
  /// Creates a target.
  package init() {}

  /// Ends the registration.
  ///
  /// Called once, by the cancelled token.
  package func end(_ handle: UInt) {}

  /// Ends the registration of a cancelled token.
  ///
  /// - Returns: The new handle, for ``waitUntilFinished(_:)``.
  package func conclude(_ handle: UInt) -> UInt {
    end(handle)
    return handle
  }

  /// Returns whether the registration still exists.
  ///
  /// Called only before ``end(_:)``.
  package func isActive(_ handle: UInt) -> Bool { true }

  /// Waits, after the end of the registration, until no call of its handler is running.
  ///
  /// Takes the handle that ``conclude(_:)`` returned. Returns early when the task is cancelled.
  package func waitUntilFinished(_ handle: UInt) async {}

  /// Changes the number of pauses; deliveries resume when it is back at zero.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - change: 1 to pause, -1 to end a pause.
  ///   - hasEnded: Returns whether the token was cancelled, in which case nothing happens.
  package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {}

  /// Prevents new calls, ahead of ``end(_:)``.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - hasEnded: Returns whether the token was cancelled, in which case nothing happens.
  package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) {}

  /// Cancels a token when its registration ends by itself.
  ///
  /// - Returns: `false` if the registration has already ended.
  package func watch(_ handle: UInt, by token: any Cancellable) -> Bool { isActive(handle) }
}

/// An object that is cancelled when its registration ends by itself.
package protocol Cancellable: AnyObject, Sendable {
  /// Ends the object; does nothing the second time.
  func cancel()

  /// A Boolean value that indicates whether the object has ended or is ending.
  ///
  /// Read with locks held.
  var hasEnded: Bool { get }
}

/// A weak reference for use in state behind a lock.
package struct WeakCancellable: Sendable {
  /// The object, or `nil` once it has been deallocated.
  ///
  /// Loaded only outside locks: the load may release the last reference.
  package weak let object: (any Cancellable)?

  /// Creates a reference to an object.
  package init(_ object: any Cancellable) { self.object = object }
}

/// A target that runs a closure when its token ends.
package final class CancelAction: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private struct State {
    var action: (@Sendable () -> Void)?
  }

  private let state: Locked<State>

  init(_ action: @escaping @Sendable () -> Void) { state = Locked(State(action: action)) }

  override package func end(_ handle: UInt) {
    let action = state.withLock { $0.action.take() }
    action?()
  }
}

/// A table of registrations with numeric keys.
///
/// The members correspond to those of ``TokenTarget``.
package protocol KeyedRegistrations: AnyObject, Sendable {
  /// Ends a registration; does nothing if it has already ended.
  func end(_ key: UInt)

  /// Ends a registration and cancels its token.
  func endByItself(_ key: UInt)

  /// Returns whether a registration still exists.
  func isActive(_ key: UInt) -> Bool

  /// Cancels a token when its registration ends by itself.
  ///
  /// - Returns: `false` if the registration has already ended.
  func watch(_ key: UInt, by token: any Cancellable) -> Bool

  /// Changes the number of pauses of a registration.
  func changePauses(_ key: UInt, by change: Int)

  /// Waits until no call of the handler is running.
  func waitUntilFinished(_ key: UInt) async
}

/// The target of one registration in a keyed table, for its token and for the lifetime of its owner.
package final class KeyedTarget: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: constant.
{
  private let registrations: any KeyedRegistrations
  private let key: UInt

  /// Creates the target of a registration.
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

/// A table of registrations in groups.
///
/// The number of its group and its own number identify a registration. The members correspond to those of
/// ``TokenTarget``.
package protocol GroupedRegistrations: AnyObject, Sendable {
  /// Ends a registration; does nothing if it has already ended.
  func end(_ number: UInt, inGroup group: UInt)

  /// Returns whether a registration still exists.
  func isActive(_ number: UInt, inGroup group: UInt) -> Bool

  /// Cancels a token when its registration ends by itself.
  ///
  /// - Returns: `false` if the registration has already ended.
  func watch(_ number: UInt, inGroup group: UInt, by token: any Cancellable) -> Bool

  /// Changes the number of pauses of a registration; does nothing if it has already ended.
  func changePauses(_ number: UInt, inGroup group: UInt, by change: Int)

  /// Waits until no call of the handler is running.
  func waitUntilFinished(_ number: UInt, inGroup group: UInt) async
}

/// The shared target of a group of registrations, whose numbers are the handles of the tokens.
///
/// One object serves the whole group, so a registration needs a token but no target of its own. The target
/// does not keep the registrations alive.
package final class GroupTarget: TokenTarget, @unchecked Sendable {  // Reason: constants.
  private weak let registrations: (any GroupedRegistrations)?
  private let group: UInt

  /// Creates the target of a group.
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

/// The number of calls of one handler, derived from the number of posts where that is exact.
///
/// The addition that announces a post to the reclamation also counts it. A handler without conditions
/// therefore needs no counter of its own: its calls are the posts that arrived, minus those that skipped
/// it, each of which calls ``addMissed()``.
///
/// This holds once it is certain which posts call the handler. A post that was running during the
/// registration may or may not find the handler, so at first every call is counted individually
/// (``add()``). A post that makes such a call ends this state if no other post is running
/// (``settle(in:while:)``): the calls of every earlier post are in the count, and every later post will
/// find the handler.
///
/// **Exactness.** The settling post reads the arrivals while no other post is inside, then this count, then
/// the arrivals again. If the arrivals have not changed, no other post was inside in between: it would
/// still be inside, or would have raised the arrivals. Both numbers therefore cover the same posts. All of
/// these have left except the settling one, which has counted its call. Later posts appear in the arrivals
/// only: their additions through ``add()``, before they see the change, are no longer read, and those
/// through ``addMissed()`` belong to the difference. Two posts cannot settle a count at the same time,
/// since neither would be alone. A post that decided to count before another one settled checks again once
/// it is alone. `CallCountModelTests` searches every interleaving.
package struct CallCount: ~Copyable, Sendable {
  /// The calls that were counted individually.
  private let alone = Atomic<UInt>(0)
  /// Once settled, the number of posts that arrived without a call, wrapping.
  private let missed = Atomic<UInt>(0)

  /// Counts one call individually.
  package borrowing func add() { alone.wrappingAdd(1, ordering: .releasing) }

  /// Counts one post that skipped the handler.
  package borrowing func addMissed() { missed.wrappingAdd(1, ordering: .releasing) }

  /// Switches to deriving the calls from the posts, if that is exact.
  ///
  /// - Parameters:
  ///   - list: The list of the calling post, which has counted its own call.
  ///   - isCounting: Returns whether calls are still counted individually.
  /// - Returns: `true` if this call settled the count, which the caller records before the post leaves.
  package borrowing func settle(in list: ObserverList, while isCounting: () -> Bool) -> Bool {
    guard let posts = list.postCountIfAlone, isCounting() else { return false }
    let calls = alone.load(ordering: .acquiring)
    let former = missed.load(ordering: .acquiring)
    guard list.postCountIfAlone == posts else { return false }
    missed.wrappingAdd(posts &- calls &- former, ordering: .releasing)
    return true
  }

  /// The number of calls that were counted individually.
  package var counted: Int { Int(clamping: alone.load(ordering: .acquiring)) }

  /// Derives the number of calls from the number of posts.
  ///
  /// - Parameter posts: Returns the number of posts that have arrived so far.
  /// - Returns: The number of calls, including those that were counted individually.
  package borrowing func derived(from posts: () -> UInt) -> Int {
    // Read first: a post that skipped the handler has arrived, so the difference is not negative.
    let missed = missed.load(ordering: .acquiring)
    return max(0, Int(bitPattern: posts() &- missed))
  }
}
