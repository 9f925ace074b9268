internal import Synchronization

/// A registration that lasts until its token is cancelled or deallocated.
///
/// Every registration of this library returns a token: an observer of an event or a property, a timer, a
/// hook of a lifetime. Keep the token for as long as the handler should be called.
///
/// ```swift
/// let didTick = Signal<Int>()
/// let token = didTick.observe { tick in print(tick) }
/// didTick.send(1)
/// token.cancel()
/// ```
///
/// Dropping a token does nothing if the registration has an `owner:`, or if the token was attached to a
/// lifetime with ``attach(to:)`` or stored in a bag.
///
/// ## Thread safety
///
/// Every member may be called on any thread, from inside a handler and from a `deinit`. Cancelling
/// releases objects outside every lock.
public final class Token: Sendable, Hashable {
  /// Set when the token is cancelled.
  private static let ended: UInt = 1
  /// Set when dropping the token does not end the registration.
  private static let kept: UInt = 2
  /// Set when cancellation is complete.
  private static let settled: UInt = 4

  /// State that is needed only by tokens that belong to a group, or whose end a task awaits.
  private final class Extras: Sendable {
    private let state = Locked<EndingMembers.Membership?>(nil)
    let ending = Latch()

    var membership: EndingMembers.Membership? { state.withLock { $0 } }

    /// Sets the membership and returns the previous one.
    func move(to membership: EndingMembers.Membership?) -> EndingMembers.Membership? {
      state.withLock { state in
        defer { state = membership }
        return state
      }
    }
  }

  private let target: TokenTarget
  /// The target's identifier of the registration, which cancellation replaces.
  private let currentHandle: Atomic<UInt>
  private let state: LazyReference<Extras>

  /// Creates a token that runs a closure when it ends.
  ///
  /// - Parameter onCancel: Called exactly once, when the token is cancelled or dropped, on the thread that
  ///   ended it and under no lock. Released afterwards.
  public convenience init(_ onCancel: @escaping @Sendable () -> Void) {
    self.init(CancelAction(onCancel), handle: 0)
  }

  /// Creates a token that runs a closure when it ends, and knows how to wait for calls that are running then.
  ///
  /// - Parameters:
  ///   - onCancel: As for ``init(_:)``.
  ///   - finish: Waits until no such call is running, after `onCancel`.
  package convenience init(
    _ onCancel: @escaping @Sendable () -> Void,
    finish: @escaping @Sendable () async -> Void
  ) {
    self.init(CancelAction(onCancel, finish: finish), handle: 0)
  }

  /// Creates the token of a registration.
  ///
  /// - Parameters:
  ///   - target: The object that ends the registration.
  ///   - handle: The target's identifier of the registration.
  ///   - isKept: Pass `true` if dropping the token must not end the registration.
  package init(_ target: TokenTarget, handle: UInt, isKept: Bool = false) {
    self.target = target
    currentHandle = Atomic(handle)
    state = LazyReference(flags: isKept ? Self.kept : 0)
  }

  deinit {
    // Nothing refers to the token any more: no task waits for its end, and no other thread cancels it.
    if state.flags == 0 { target.end(handle) }
  }

  /// Ends the registration.
  ///
  /// After it returns, no call of the handler begins on this thread or in this isolation. The handler and
  /// its captures have been released, unless posts of its signal are running: then they are released once
  /// every post that overlapped the cancellation, or overlapped one of those, has finished. A call
  /// on another thread may still be running; ``waitUntilFinished()`` waits for it. Cancelling twice does
  /// nothing.
  ///
  /// Events and values that wait for the handler are released as well. An event of a bus or a signal that
  /// waited for an actor before the actor's current turn began is released by that turn.
  ///
  /// - Complexity: O(1), amortized; if events wait for the handler's actor and some of them for this handler,
  ///   O(*n*) in their number. Never waits for a handler.
  public func cancel() {
    guard state.set(Self.ended) else { return }
    currentHandle.store(target.end(handle), ordering: .releasing)
    state.object?.move(to: nil)?.leave()
    // A task that starts to wait either finds this flag set or has already created the latch.
    _ = state.set(Self.settled)
    state.object?.ending.open()
  }

  /// A Boolean value that indicates whether the registration still exists.
  ///
  /// A registration ends when it is cancelled, with its owner or bus, or with its only call. The value is
  /// `false` as soon as the lifetime of the token or of the owner has ended. The deallocation of an owner
  /// without a lifetime shows only after a delivery or a sweep has detected it.
  public var isActive: Bool {
    guard !hasEnded, target.isActive(handle) else { return false }
    // A lifetime cancels its tokens one after another, and runs hooks in between.
    return state.object?.membership?.members.hasEnded != true
  }

  /// Waits until the registration has ended and no call of its handler is running.
  ///
  /// This is the fence after ``cancel()``, for every kind of token: after it returns, no call of the handler
  /// is running on any thread, and none will begin. If the registration has not ended yet, the method first
  /// waits for its end. It returns early when the waiting task is cancelled.
  ///
  /// In the task of its own handler, the method does not wait for that call. Two handlers that wait for
  /// each other deadlock.
  ///
  /// Calls are counted for each registration, so other handlers cause no delay, even one that keeps the
  /// handler's actor busy. There are two exceptions, in which a handler that blocks its thread delays the return. For an
  /// observer of an ``Observed`` property or a ``Computed`` value, the method waits for the report that is in progress.
  /// For a plain nonisolated handler, one without a sender, a filter or `once`, it waits for the posts of the event that
  /// overlapped the end of the registration, and for those that overlapped one of these.
  public func waitUntilFinished() async {
    if !isSettled {
      let ending = state.object(orMake: Extras.init).ending
      if !target.watch(handle, by: self) { cancel() }
      if !isSettled, await !ending.wait() { return }
    }
    await target.waitUntilFinished(handle)
  }

  /// Pauses deliveries until the returned token is cancelled or dropped.
  ///
  /// Pauses are counted: deliveries resume when every pause has ended. Events are dropped during a pause,
  /// and a registration with `once: true` keeps its call. Pausing a registration that has ended does
  /// nothing. Tokens of other kinds, such as lifetime hooks, cannot be paused.
  ///
  /// - Returns: The token of the pause. It does not keep this token alive.
  /// - Complexity: O(1).
  public func pause() -> Token {
    changePauses(by: 1)
    // A registration that its owner keeps continues after this token has been dropped.
    let isKept = state.flags & Self.kept != 0
    return Token { [weak self, target, handle = handle] in
      if let self {
        changePauses(by: -1)
      } else if isKept {
        target.changePauses(handle, by: -1, of: nil)
      }
    }
  }

  /// Attaches the token to a lifetime, which keeps it and cancels it when the lifetime ends.
  ///
  /// A token belongs to one lifetime or bag at a time: attaching it again moves it. A lifetime that has
  /// already ended cancels the token at once.
  ///
  /// - Parameter lifetime: The lifetime at whose end the registration ends.
  /// - Returns: This token.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func attach(to lifetime: Lifetime) -> Token {
    join(lifetime.members)
    return self
  }

  /// Stores the token in a bag, which keeps it and cancels it together with its other tokens.
  ///
  /// - Parameter bag: The bag. A closed bag cancels the token at once.
  /// - Returns: This token.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func store(in bag: TokenBag) -> Token {
    join(bag.members)
    return self
  }

  /// Ends the registration with a lifetime that does not keep the token.
  ///
  /// Has an effect on registrations that something other than their token may end.
  package func end(with lifetime: Lifetime) {
    (target as? Registration)?.join(lifetime.members)
  }

  /// Returns whether two tokens are the same object.
  public static func == (left: Token, right: Token) -> Bool { left === right }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The identity of the registration, for the exclusion of observers from a post.
  package var identity: TokenIdentity { TokenIdentity(target, handle: handle) }

  private func changePauses(by change: Int) {
    // The target ignores the handle of a registration that has ended.
    target.changePauses(handle, by: change, of: self)
  }

  private var handle: UInt { currentHandle.load(ordering: .acquiring) }

  /// A Boolean value that indicates whether the token was cancelled, or is being cancelled on another thread.
  package var hasEnded: Bool { state.flags & Self.ended != 0 }

  private var isSettled: Bool { state.flags & Self.settled != 0 }

  private func join(_ members: EndingMembers) {
    let extras = state.object(orMake: Extras.init)
    guard let membership = members.join(self) else { return cancel() }
    extras.move(to: membership)?.leave()
    // The registration may have ended meanwhile, without a token to leave the group.
    if hasEnded {
      membership.leave()
    } else if !target.watch(handle, by: self) {
      cancel()
    }
  }
}

extension Token: EndingMembers.Member {
  package func stopCalls() { target.stopCalls(handle, of: self) }

  package func lifetimeEnded() { cancel() }
}
