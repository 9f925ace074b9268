/// The lifetime of an object, as a value to which hooks and tokens can be attached.
///
/// A lifetime stored in an object ends when the object is deallocated: hooks run exactly then, on every
/// platform.
///
/// ```swift
/// final class Screen: LifetimeOwner {
///   let lifetime = Lifetime()
/// }
///
/// let screen = Screen()
/// screen.lifetime.onEnd { print("gone") }
/// ```
///
/// Call ``end()`` as the first line of a `deinit` to run the hooks while the object's stored properties
/// still exist. Otherwise the lifetime ends with the stored properties; those of a subclass of `NSObject` are
/// destroyed after the `dealloc` of all superclasses. Hooks never receive the owner,
/// because it is being deallocated; weak references to it already read `nil`. Hooks use their captures.
///
/// The end of a lifetime does not imply the end of its owner: other references may keep the owner alive
/// after `end()`.
///
/// A lifetime costs less than one weak reference to the owner, which allocates a side table and slows
/// down every later retain and release.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Hooks run on the thread that ended the lifetime, in
/// registration order, with no lock held. A race between registering a hook and ending the lifetime is
/// decided atomically: the hook runs exactly once in either case.
public final class Lifetime: Sendable {
  private static let endedFlag: UInt = 1
  private let state = LazyReference<EndingMembers>()

  /// A lifetime that has already ended; anything attached to it ends at once.
  package static let ended: Lifetime = {
    let lifetime = Lifetime()
    lifetime.end()
    return lifetime
  }()

  /// Creates a lifetime.
  public init() {}

  deinit { state.object?.end(isFinal: true) }

  /// A Boolean value that indicates whether the lifetime has ended.
  ///
  /// Already `true` when the first hook runs.
  public var hasEnded: Bool { state.flags & Self.endedFlag != 0 }

  /// Ends the lifetime now.
  ///
  /// Ending a lifetime twice does nothing.
  ///
  /// - Complexity: O(*n*) in the number of hooks and tokens.
  public func end() {
    if state.set(Self.endedFlag) { state.object?.end(isFinal: true) }
  }

  /// Ends the lifetime, and stops the calls of its tokens, without ending the hooks and tokens, for the first caller.
  ///
  /// - Returns: The hooks and tokens, for ``EndingMembers/end(_:)``; empty for later callers.
  /// - Complexity: O(*n*) in their number.
  package func takeMembers() -> [EndingMembers.Member] {
    state.set(Self.endedFlag) ? state.object?.takeAll(isFinal: true) ?? [] : []
  }

  /// Runs a closure when the lifetime ends, or immediately if it has already ended.
  ///
  /// The token ends before the closure is called.
  ///
  /// - Parameter handler: Called exactly once, and then released, unless the token is cancelled first.
  /// - Returns: A token that removes the hook. Dropping it does nothing: the lifetime keeps the hook.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func onEnd(_ handler: @escaping @Sendable () -> Void) -> Token {
    let hook = ActionRegistration(at: .endOfLifetime, handler)
    let token = Token(hook, isKept: true)
    hook.join(members)
    return token
  }

  /// The end of this lifetime, for waiting without keeping the lifetime alive.
  public var ending: Ending { Ending(members) }

  /// The hooks and tokens that end with this lifetime, created on first use.
  package var members: EndingMembers {
    state.object(orMake: EndingMembers.init) { members, flags in
      // The lifetime ended before the group was published, so the group ends at once.
      if flags & Self.endedFlag != 0 { members.end(isFinal: true) }
    }
  }
}

/// The end of a lifetime, for tasks that wait for it.
///
/// It does not keep the lifetime alive.
///
/// ## Thread safety
///
/// Any number of tasks may wait, on any thread.
public struct Ending: Sendable {
  private let members: EndingMembers

  init(_ members: EndingMembers) { self.members = members }

  /// Waits until the lifetime has ended; returns at once if it has already ended.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled first.
  public func waitUntilEnded() async throws(CancellationError) {
    let latch = Latch()
    let hook = ActionRegistration(at: .endOfLifetime) { latch.open() }
    hook.join(members)
    let hasEnded = await latch.wait()
    hook.end()
    if !hasEnded { throw CancellationError() }
  }
}

/// An object with a lifetime, at whose end its registrations are removed immediately.
///
/// Adopt the protocol with one stored property:
///
/// ```swift
/// @MainActor final class Screen: LifetimeOwner {
///   let lifetime = Lifetime()
/// }
/// ```
///
/// Every `owner:` parameter of this library also takes other objects. Their registrations are inert as soon
/// as the owner is deallocated, and are swept later. The registrations of a lifetime owner are removed as
/// soon as the lifetime ends.
///
/// Declare the conformance before objects of the class become owners: a conformance that a library
/// loaded later adds may not be noticed.
public protocol LifetimeOwner: AnyObject, SendableMetatype {
  /// The object's lifetime, a stored constant that ends with the object.
  nonisolated var lifetime: Lifetime { get }
}

/// The registrations that end with a lifetime or a bag, in the order in which they joined.
///
/// A separate object, so that a registration that is cancelled on another thread can still leave while the
/// lifetime is being deallocated.
///
/// ```
/// lifetime ──owns──► members ──own──► registration ──► members     (the cycle ends with the lifetime)
/// ```
package final class EndingMembers: Sendable {
  /// The role of a lifetime or a bag for a registration.
  package enum Role: Sendable {
    /// The lifetime of the owner.
    case owner
    /// It keeps the registration instead of its token.
    case keeper
  }

  /// A registration, and the role of the lifetime or bag for it.
  package typealias Member = (registration: Registration, role: Role)

  /// A position in a group, for a registration that ends early.
  struct Membership: Sendable {
    fileprivate let members: EndingMembers
    fileprivate let number: UInt

    /// Leaves the group; does nothing if the registration has left it.
    ///
    /// - Complexity: O(log *n*), amortized.
    func leave() {
      let member = members.list.withLock { $0?.remove(number: number) }
      withExtendedLifetime(member) {}
    }
  }

  /// The members, or `nil` once the group has ended and accepts no more.
  private let list = Locked<NumberedList<Member>?>(NumberedList())

  /// Creates an empty group.
  package init() {}

  /// The number of members.
  package var count: Int { list.withLock { $0?.count ?? 0 } }

  /// True if the group has ended and accepts no more members.
  package var hasEnded: Bool { list.withLock { $0 == nil } }

  /// Adds a registration.
  ///
  /// - Returns: The membership, or `nil` when the group has ended.
  /// - Complexity: Amortized O(1).
  func join(_ registration: Registration, as role: Role) -> Membership? {
    let number = list.withLock { $0?.append((registration, role)) }
    return number.map { Membership(members: self, number: $0) }
  }

  /// Ends every member, oldest first, without holding a lock.
  ///
  /// Hooks and the closures of tokens may post; no handler of a later member is called by then.
  ///
  /// - Parameter isFinal: Pass `true` to accept no more members.
  package func end(isFinal: Bool) { Self.end(takeAll(isFinal: isFinal)) }

  /// Removes every member, and stops its calls, without ending it.
  ///
  /// - Parameter isFinal: Pass `true` to accept no more members.
  /// - Returns: The members, oldest first, for ``end(_:)``.
  func takeAll(isFinal: Bool) -> [Member] {
    let members = list.withLock { list in
      defer { if isFinal { list = nil } }
      return list?.removeAll() ?? []
    }
    for (registration, role) in members { registration.stopCalls(as: role) }
    return members
  }

  /// Ends members that were removed, in order.
  package static func end(_ members: [Member]) {
    for (registration, role) in members { registration.end(as: role) }
  }
}
