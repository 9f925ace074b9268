public import Synchronization

/// The agreement of a token, the lifetime of an owner and the calls of a handler on whether a registration
/// still counts.
///
/// There is one for every kind of registration that something other than its token may end: observers with
/// an owner, a filter or a queue, observers of properties, hooks of a lifetime, timers, themed views.
/// Subclasses say what an end and a pause mean to them.
///
/// One word holds the end, the pauses and the running calls. A call is counted first and then checks for the
/// end; the end is set first and then checks for calls. Either the call is not made, or
/// ``waitUntilFinished(_:)`` sees it. The end is set by an atomic exchange, so exactly one caller performs
/// what follows from it.
///
/// ## Thread safety
///
/// Every member may be called on any thread. The overridable members are called under no lock.
@usableFromInline
package class Registration: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: atomic and locked.
{
  private struct State: ~Copyable {
    /// The position in the lifetime of the owner.
    var membership: EndingMembers.Membership?
    /// The token that is cancelled when the registration ends by itself.
    var watcher: WeakToken?
    /// Opens when no call is running.
    var idle: Latch?
    /// Opens when no call is running except the one that waits.
    var alone: Latch?
  }

  /// Set when the registration has ended.
  @usableFromInline static var ended: UInt64 { 1 }
  /// Set when the lifetime of the owner or of the token has ended, before it ends the registration.
  @usableFromInline static var stopped: UInt64 { 2 }
  /// Set once a task waits for the end of calls.
  private static var awaited: UInt64 { 4 }
  private static var onePause: UInt64 { 8 }
  @usableFromInline static var oneCall: UInt64 { 1 << 32 }
  /// The bits that all are zero while the handler may be called.
  @usableFromInline static var closed: UInt64 { (oneCall - 1) & ~4 }

  @usableFromInline let word = Atomic<UInt64>(0)
  private let state = Locked(State())

  /// Creates a registration that counts.
  package override init() {}

  // MARK: What differs between kinds

  /// Performs what follows from the end of the registration: unlinks the handler.
  ///
  /// Called once.
  func didEnd() {}

  /// Prevents new calls that check neither ``isOpen`` nor ``beginCall()``, ahead of the end.
  func didStop() {}

  /// Stops or resumes deliveries, according to ``isPaused``.
  func didChangePauses() {}

  /// A Boolean value that indicates whether the current task is inside a call of the handler.
  var isOwnCall: Bool { RunningCall.isCalling(self) }

  /// Called once when the owner's lifetime has ended.
  package func lifetimeEnded() { endByItself() }

  // MARK: State

  /// A Boolean value that indicates whether the registration has ended.
  package final var hasEnded: Bool {
    word.load(ordering: .sequentiallyConsistent) & Self.ended != 0
  }

  /// A Boolean value that indicates whether the handler may be called: the registration is neither ended nor
  /// stopped nor paused.
  @inlinable
  package final var isOpen: Bool {
    word.load(ordering: .sequentiallyConsistent) & Self.closed == 0
  }

  /// A Boolean value that indicates whether the registration is paused.
  package final var isPaused: Bool {
    word.load(ordering: .sequentiallyConsistent) & Self.closed >= Self.onePause
  }

  override package func isActive(_ handle: UInt) -> Bool {
    // A lifetime ends its members one after another, and runs hooks in between.
    word.load(ordering: .sequentiallyConsistent) & (Self.ended | Self.stopped) == 0
      && state.withLock { $0.membership }?.members.hasEnded != true
  }

  // MARK: The end

  /// Marks the registration as ended.
  ///
  /// - Returns: `true` to the one caller that ended it, who has to do what follows.
  package final func markEnded() -> Bool {
    word.bitwiseOr(Self.ended, ordering: .sequentiallyConsistent).oldValue & Self.ended == 0
  }

  @discardableResult
  override package final func end(_ handle: UInt) -> UInt {
    _ = conclude()
    return handle
  }

  /// Ends the registration without its token, and cancels the token.
  @usableFromInline
  package final func endByItself() { conclude()?.object?.cancel() }

  private func conclude() -> WeakToken? {
    guard markEnded() else { return nil }
    didEnd()
    return leaveLifetime()
  }

  /// Leaves the lifetime of the owner, after the end.
  ///
  /// - Returns: The token, to be cancelled if the registration has ended by itself.
  final func leaveLifetime() -> WeakToken? {
    let (membership, watcher) = state.withLock { state in
      (state.membership.take(), state.watcher.take())
    }
    membership?.leave()
    return watcher
  }

  override package final func watch(_ handle: UInt, by token: Token) -> Bool {
    let reference = WeakToken(token)
    state.withLock { $0.watcher = reference }
    return !hasEnded
  }

  // MARK: The lifetime of the owner

  /// Ends the registration with a lifetime, or at once if that has ended.
  ///
  /// - Returns: `false` if the lifetime has already ended.
  @discardableResult
  package final func join(_ members: EndingMembers) -> Bool {
    guard let membership = members.join(self) else {
      lifetimeEnded()
      return false
    }
    // An end that comes later finds the membership; one that came before has not.
    let hasEnded = state.withLock { state in
      if !self.hasEnded { state.membership = membership }
      return self.hasEnded
    }
    if hasEnded { membership.leave() }
    return true
  }

  package func stopCalls() { stop() }

  override package final func stopCalls(_ handle: UInt, of token: Token) { stop() }

  private func stop() {
    word.bitwiseOr(Self.stopped, ordering: .sequentiallyConsistent)
    didStop()
  }

  // MARK: Pauses

  override package final func changePauses(_ handle: UInt, by change: Int, of token: Token?) {
    let amount = UInt64(bitPattern: Int64(change)) &* Self.onePause
    word.wrappingAdd(amount, ordering: .sequentiallyConsistent)
    didChangePauses()
  }

  // MARK: Calls

  /// Begins a call.
  ///
  /// - Returns: `false` when the registration has ended; otherwise balance the call with ``finish()``.
  package final func beginCall() -> Bool {
    let former = word.wrappingAdd(Self.oneCall, ordering: .sequentiallyConsistent).oldValue
    if former & (Self.ended | Self.stopped) == 0 { return true }
    finish()
    return false
  }

  /// The number of calls that are running.
  package final var runningCount: Int { Int(word.load(ordering: .acquiring) / Self.oneCall) }

  /// Counts a call that takes place although the registration ends or has ended.
  ///
  /// Balance it with ``finish()``.
  final func countCall() {
    word.wrappingAdd(Self.oneCall, ordering: .sequentiallyConsistent)
  }

  /// Ends a call.
  package final func finish() {
    let word = word.wrappingSubtract(Self.oneCall, ordering: .sequentiallyConsistent).newValue
    let calls = word / Self.oneCall
    guard word & Self.awaited != 0, calls <= 1 else { return }
    let (idle, alone) = state.withLock { state in
      (calls == 0 ? state.idle.take() : nil, state.alone.take())
    }
    idle?.open()
    alone?.open()
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    // A handler that waits for its own end does not wait for its current call.
    let isOwn = isOwnCall
    let latch: Latch? = state.withLock { state in
      let word = word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).newValue
      guard word / Self.oneCall > (isOwn ? 1 : 0) else { return nil }
      let latch = (isOwn ? state.alone : state.idle) ?? Latch()
      if isOwn { state.alone = latch } else { state.idle = latch }
      return latch
    }
    await latch?.wait()
  }

  /// Stops the program if a registration without a running call or pause does not look like one.
  package final func _checkInvariants() {
    let word = word.load(ordering: .sequentiallyConsistent)
    assert(word / Self.oneCall < UInt64(1) << 31, "more calls have ended than begun")
    assert(word & Self.closed < UInt64(1) << 31, "more pauses have ended than begun")
  }
}
