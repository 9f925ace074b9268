/// The life of an object, as something that hooks and tokens can be tied to.
///
/// Store one in an object and it ends when the object is destroyed: the exact and immediate form of "run
/// this when the object dies" on every platform.
///
/// ```swift
/// final class Screen: LifetimeOwner {
///   let lifetime = Lifetime()
/// }
/// screen.lifetime.onEnd { print("gone") }
/// ```
///
/// Call ``end()`` as the first line of a `deinit` for "deallocating", while the object's fields are
/// still there; without it the lifetime ends with the stored properties, "deallocated". The owner is
/// never handed to a hook: it is being torn down. Weak references to it read `nil` by then. Hooks use
/// what they captured.
///
/// A lifetime does not decide whether its owner is alive: somebody may keep the owner after `end()`.
///
/// Carrying a lifetime costs less than one weak reference to the owner, which takes a side table and
/// makes every later retain and release dearer.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Hooks run on the thread that ended the lifetime, in the
/// order of registration, outside every lock. Registering against ending is decided atomically: a hook
/// runs exactly once, whoever comes first.
public final class Lifetime: Sendable {
  private static let endedFlag: UInt = 1
  private let state = LazyReference<EndingMembers>()

  /// A lifetime that has ended: what is tied to it ends at once.
  public static let ended: Lifetime = {
    let lifetime = Lifetime()
    lifetime.end()
    return lifetime
  }()

  /// Begins a lifetime.
  public init() {}

  deinit { state.object?.end(isFinal: true) }

  /// Whether the lifetime has ended.
  ///
  /// It is `true` already for the first hook.
  public var hasEnded: Bool { state.flags & Self.endedFlag != 0 }

  /// Ends the lifetime now.
  ///
  /// Ending it twice does nothing.
  ///
  /// - Complexity: O(*n*) in the number of hooks and tokens.
  public func end() {
    if state.set(Self.endedFlag) { state.object?.end(isFinal: true) }
  }

  /// Runs a closure when the lifetime ends, or now if it has ended.
  ///
  /// The token has ended when the hook runs.
  ///
  /// - Parameter body: Called exactly once unless its token is cancelled first, and released then.
  /// - Returns: A token that removes the hook. Dropping it does nothing: the lifetime keeps the hook.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func onEnd(_ body: @escaping @Sendable () -> Void) -> Token {
    let hook = EndHook(body)
    let token = Token(hook, handle: 0, isKept: true)
    hook.join(members)
    return token
  }

  /// The end of this lifetime, to be waited for without keeping the lifetime.
  public var ending: Ending { Ending(members) }

  /// The group of what ends with this lifetime, made when it is first asked for.
  package var members: EndingMembers {
    state.object(orMake: EndingMembers.init) { members, flags in
      // The lifetime ended before anybody could find the group: it is born closed.
      if flags & Self.endedFlag != 0 { members.end(isFinal: true) }
    }
  }
}

/// An object that carries its lifetime, so that what it registered ends with it, at once.
///
/// One stored property is the whole adoption:
///
/// ```swift
/// @MainActor final class Screen: LifetimeOwner {
///   let lifetime = Lifetime()
/// }
/// ```
///
/// Everything in this library that takes an `owner:` also takes other objects; their registrations are
/// inert as soon as the owner is dead and are swept later. With a lifetime they are removed the moment
/// it ends.
public protocol LifetimeOwner: AnyObject, SendableMetatype {
  /// The object's lifetime: a stored constant, so that it ends with the object.
  nonisolated var lifetime: Lifetime { get }
}

/// The end of a lifetime, to be waited for.
///
/// It does not keep the lifetime.
///
/// ## Thread safety
///
/// May be used from any task; any number may wait.
public struct Ending: Sendable {
  private let members: EndingMembers

  init(_ members: EndingMembers) { self.members = members }

  /// Waits until the lifetime has ended; returns at once if it has.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first.
  public func wait() async throws(CancellationError) {
    let latch = Latch()
    let hook = EndHook { latch.open() }
    hook.join(members)
    let hasEnded = await latch.wait()
    hook.end(0)
    if !hasEnded { throw CancellationError() }
  }
}
