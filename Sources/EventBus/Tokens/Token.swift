internal import Synchronization

/// One registration: it lasts until the token is cancelled or its last reference goes away.
///
/// A token is what every registration of this library returns: observing an event or a property, a timer,
/// a hook on a lifetime. Keep it for as long as you want to be called.
///
/// ```swift
/// let token = bus.observe(.userDidLogIn) { user in print(user.name) }
/// token.cancel()
/// ```
///
/// A token returned by a registration with `owner:`, or one that was ``attach(to:)`` a lifetime or
/// stored in a bag, is kept by somebody else: dropping it does nothing.
///
/// ## Thread safety
///
/// Every member may be called on any thread, from inside a handler and from a `deinit`. What cancelling
/// releases is released outside every lock.
public final class Token: Sendable, Hashable {
  /// Set once it was cancelled.
  private static let ended: UInt = 1
  /// Set when dropping the token does not end the registration.
  private static let kept: UInt = 2
  /// Set once all was done that cancelling does.
  private static let settled: UInt = 4

  /// What is needed only by tokens that belong to a group or are waited for.
  private final class Extras: Sendable {
    struct State {
      var members: EndingMembers?
      var ticket: EndingMembers.Ticket?
    }
    let state = Locked(State())
    let ending = Latch()

    var members: EndingMembers? { state.withLock { $0.members } }

    /// Sets the group; the former one is returned.
    func move(to members: EndingMembers?, _ ticket: EndingMembers.Ticket?) -> State {
      state.withLock { state in
        let former = state
        state = State(members: members, ticket: ticket)
        return former
      }
    }
  }

  private let target: TokenTarget
  /// What the target knows the registration by: another number once it was cancelled.
  private let currentHandle: Atomic<UInt>
  private let state: LazyReference<Extras>

  /// Creates a token of your own.
  ///
  /// - Parameter onCancel: What to do when the token is cancelled or dropped. Runs exactly once, on the
  ///   thread that ended it, under no lock, and is released then.
  public convenience init(_ onCancel: @escaping @Sendable () -> Void) {
    self.init(CancelAction(onCancel), handle: 0)
  }

  /// Creates the token of a registration.
  ///
  /// - Parameters:
  ///   - target: Ends the registration.
  ///   - handle: What the target knows it by.
  ///   - isKept: Whether somebody else keeps the registration, so that dropping the token does nothing.
  package init(_ target: TokenTarget, handle: UInt, isKept: Bool = false) {
    self.target = target
    currentHandle = Atomic(handle)
    state = LazyReference(flags: isKept ? Self.kept : 0)
  }

  deinit {
    if state.flags == 0 { cancel() }
  }

  /// Ends the registration.
  ///
  /// When it returns, no call begins any more on this thread or in this isolation, and the handler is
  /// released with all it captured, unless posts are running on its signal: then it is released when
  /// those, and such as began before they ended, have ended. A call already running on another thread
  /// may still be running; ``waitUntilFinished()`` waits for it. Cancelling twice does nothing.
  ///
  /// - Complexity: O(1), amortized. Never blocks for a handler.
  public func cancel() {
    guard state.set(Self.ended) else { return }
    currentHandle.store(target.conclude(handle), ordering: .releasing)
    if let former = state.object?.move(to: nil, nil), let ticket = former.ticket {
      former.members?.leave(ticket)
    }
    // A task that comes to wait either finds this set, or has made the latch before.
    _ = state.set(Self.settled)
    state.object?.ending.open()
  }

  /// Whether the registration is there: not cancelled, not ended with its owner, its bus or its one call.
  ///
  /// It is `false` as soon as the lifetime has ended that the token was attached to, or that its owner
  /// carries. Another owner's death shows when a delivery or a sweep has noticed it.
  public var isActive: Bool {
    guard !hasEnded, target.isActive(handle) else { return false }
    // A lifetime cancels its tokens one after the other, and calls hooks in between.
    return state.object?.members?.hasEnded != true
  }

  /// Waits, after the registration was ended, until no call of its handler is running.
  ///
  /// This is the fence after ``cancel()``, for every kind of token: when it returns, the handler will not
  /// be entered again and nothing of it is running on any thread. If the registration has not ended yet,
  /// it waits for that first. Returns early when the waiting task is cancelled.
  ///
  /// Called in the task of its own handler, it does not wait for that call. Two handlers that wait for
  /// each other wait for ever.
  ///
  /// The calls of a registration are counted, so that other handlers cause no delay. The exception is a
  /// plain nonisolated handler, one without a sender, a filter or `once`: it waits for the posts of the
  /// event that overlapped the end of the registration, and for those that overlapped one of these. A
  /// handler of the same event that blocks its thread delays it.
  public func waitUntilFinished() async {
    if !isSettled {
      let ending = state.object(orMake: Extras.init).ending
      if !target.watch(handle, by: self) { cancel() }
      if !isSettled, await !ending.wait() { return }
    }
    await target.waitUntilFinished(handle)
  }

  /// Stops deliveries until the token it returns is cancelled or dropped.
  ///
  /// Pauses are counted: deliveries go on when every one has ended. What comes meanwhile is dropped; a
  /// registration for one call does not use it up. Pausing what has ended does nothing. Tokens of other
  /// kinds, such as a hook on a lifetime, cannot be paused.
  ///
  /// - Returns: The token of the pause; it does not keep this token.
  /// - Complexity: O(1).
  public func pause() -> Token {
    changePauses(by: 1)
    // A registration that somebody else keeps goes on when this token has been dropped.
    let isKept = state.flags & Self.kept != 0
    return Token { [weak self, target, handle = handle] in
      if let self {
        changePauses(by: -1)
      } else if isKept {
        target.changePauses(handle, by: -1) { false }
      }
    }
  }

  /// Gives the token to a lifetime, which keeps it and cancels it when it ends.
  ///
  /// A token belongs to one lifetime or bag at a time: attaching it again moves it. A lifetime that has
  /// ended cancels it at once.
  ///
  /// - Parameter lifetime: What the registration shall end with.
  /// - Returns: This token.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func attach(to lifetime: Lifetime) -> Token {
    join(lifetime.members)
    return self
  }

  /// Gives the token to a bag, which keeps it and cancels it with the others.
  ///
  /// - Parameter bag: The bag. One that was closed cancels the token at once.
  /// - Complexity: Amortized O(1).
  public func store(in bag: TokenBag) { join(bag.members) }

  /// Tokens are equal when they are the same token.
  public static func == (left: Token, right: Token) -> Bool { left === right }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Which registration this is, for observers that are to be left out.
  package var identity: TokenIdentity { TokenIdentity(target, handle: handle) }

  private func changePauses(by change: Int) {
    // Where it has ended, the handle is not looked at.
    target.changePauses(handle, by: change) { hasEnded }
  }

  private var handle: UInt { currentHandle.load(ordering: .acquiring) }

  /// Whether it was cancelled, or is being cancelled on another thread.
  package var hasEnded: Bool { state.flags & Self.ended != 0 }

  private var isSettled: Bool { state.flags & Self.settled != 0 }

  private func join(_ members: EndingMembers) {
    let extras = state.object(orMake: Extras.init)
    guard let ticket = members.join(self) else { return cancel() }
    let former = extras.move(to: members, ticket)
    if let ticket = former.ticket { former.members?.leave(ticket) }
    // The registration may have ended meanwhile, with nobody there to leave the group.
    if hasEnded {
      members.leave(ticket)
    } else if !target.watch(handle, by: self) {
      cancel()
    }
  }
}

extension Token: Cancellable {}

extension Token: EndingMembers.Member {
  package func stopCalls() { target.stopCalls(handle) { hasEnded } }

  package func lifetimeEnded() { cancel() }
}
