public import Synchronization

/// The state of a registration: whether it is active, why it has ended, its pauses, its running calls, and who has its
/// only call.
///
/// Every registration has one, whatever its kind; the subclasses say what follows from an end and from a pause. A
/// token refers to its registration and has no other state.
///
/// | state | a call may begin | left by |
/// |---|---|---|
/// | active | yes | a pause, a stop, the end |
/// | paused, *n* times | no | the *n*-th resume, a stop, the end |
/// | stopped: a lifetime has ended, and ends its members one after another | no | the end |
/// | ended | no; running calls go on | nothing |
///
/// One word holds all of it. A call is counted first and then checks for the end; the end is set first and then
/// checks for calls. Either the call is not made, or ``waitUntilFinished()`` sees it. The end is set by an atomic
/// exchange, so exactly one caller performs what follows from it.
///
/// ## Thread safety
///
/// Every member may be called on any thread. The overridable members are called with no lock held.
@usableFromInline
package class Registration: @unchecked Sendable {  // Reason: atomic and locked.
  /// The state that few registrations need.
  private final class Extras: Sendable {
    struct State: ~Copyable {
      /// The place in the lifetime of the owner.
      var owner: EndingMembers.Membership?
      /// The place in the lifetime or bag that keeps the registration instead of its token.
      var keeper: EndingMembers.Membership?
      /// Opens when the end is complete.
      var ending: Latch?
      /// Opens when no call is running.
      var idle: Latch?
      /// Opens when no call is running except the one that waits.
      var alone: Latch?
    }

    let state = Locked(State())
  }

  /// Set when the registration has ended.
  @usableFromInline static var ended: UInt64 { 1 }
  /// Set when the lifetime of the owner, or the lifetime or bag that keeps it, has ended, before it ends the
  /// registration.
  @usableFromInline static var stopped: UInt64 { 2 }
  /// Set when what follows from the end has been done.
  private static var settled: UInt64 { 4 }
  /// Set once a task waits for the end of calls.
  private static var awaited: UInt64 { 8 }
  /// Set when the death of the token does not end the registration.
  private static var kept: UInt64 { 16 }
  /// Set when the registration ended, or is about to end, because its owner has.
  private static var orphaned: UInt64 { 32 }
  /// Set when the registration ended with its only call.
  private static var spent: UInt64 { 64 }
  /// Set when the calls are not counted.
  private static var uncounted: UInt64 { 128 }
  /// Set while an event holds the only call of the handler, and after that call.
  private static var claimed: UInt64 { 256 }
  @usableFromInline static var onePause: UInt64 { 512 }
  @usableFromInline static var oneCall: UInt64 { 1 << 32 }
  @usableFromInline static var pauses: UInt64 { oneCall - onePause }

  @usableFromInline let word = Atomic<UInt64>(0)
  private let extras = LazyReference<Extras>()

  /// Creates an active registration.
  init() {}

  // MARK: What differs between kinds

  /// Performs what follows from the end of the registration: unlinks the handler.
  ///
  /// Called once.
  func didEnd() {}

  /// Prevents new calls that check neither ``isOpen`` nor ``beginCall()``: the registration is stopped, or is being
  /// ended by another thread.
  func didStop() {}

  /// Stops or resumes deliveries, according to ``isPaused``.
  func didChangePauses() {}

  /// True if the current task is inside a call of the handler.
  var isOwnCall: Bool { RunningCall.isCalling(self) }

  /// Prevents new calls, ahead of the end with the lifetime of the owner.
  func willEndWithOwner() { stop(Self.orphaned) }

  /// Ends the registration with the lifetime of the owner.
  package func endWithOwner() { end(because: Self.orphaned) }

  /// Waits, after the end, until no call of the handler is running, except one that waits.
  ///
  /// Returns early when the task is cancelled.
  func waitForCalls() async { await waitForCountedCalls() }

  // MARK: State

  private final var state: UInt64 { word.load(ordering: .sequentiallyConsistent) }

  package final var hasEnded: Bool { state & Self.ended != 0 }

  /// True if the registration has neither ended nor been stopped.
  package final var isActive: Bool { state & (Self.ended | Self.stopped) == 0 }

  /// True if the handler may be called: the registration is neither ended nor
  /// stopped nor paused.
  @inlinable
  package final var isOpen: Bool {
    word.load(ordering: .sequentiallyConsistent) & (Self.ended | Self.stopped | Self.pauses) == 0
  }

  package final var isPaused: Bool { state & Self.pauses != 0 }

  /// True if the registration ended, or is about to end, with its owner.
  final var hasLostOwner: Bool { state & Self.orphaned != 0 }

  /// True if the registration ended with its only call.
  final var hasUsedCall: Bool { state & Self.spent != 0 }

  // MARK: The only call

  /// True if an event holds or has used the only call of the handler.
  final var isClaimed: Bool { state & Self.claimed != 0 }

  /// Claims the only call of the handler for an event.
  ///
  /// - Returns: `true` to the one caller that may make it.
  final func claimOnlyCall() -> Bool {
    word.bitwiseOr(Self.claimed, ordering: .sequentiallyConsistent).oldValue & Self.claimed == 0
  }

  /// Takes back a claim whose event was discarded, which would keep waiting ones from being called.
  final func returnClaim() { word.bitwiseAnd(~Self.claimed, ordering: .sequentiallyConsistent) }

  // MARK: The end

  /// Ends the registration.
  ///
  /// - Returns: `true` to the one caller that ended it.
  @usableFromInline
  @discardableResult
  package final func end() -> Bool { end(because: 0) }

  /// Ends a registration whose only call begins.
  package final func endWithCall() {
    if !hasUsedCall { end(because: Self.spent) }
  }

  @discardableResult
  private final func end(because reason: UInt64) -> Bool {
    let former = word.bitwiseOr(Self.ended | reason, ordering: .sequentiallyConsistent).oldValue
    if former & Self.ended != 0 {
      if former & Self.settled == 0 { didStop() }
      return false
    }
    didEnd()
    // A task that starts to wait either finds this flag set or has already created the latch.
    word.bitwiseOr(Self.settled, ordering: .sequentiallyConsistent)
    if let extras = extras.object { leaveAll(extras) }
    return true
  }

  /// True if the end is complete.
  private final var isSettled: Bool { state & Self.settled != 0 }

  private final func leaveAll(_ extras: Extras) {
    let (owner, keeper, ending) = extras.state.withLock { state in
      (state.owner.take(), state.keeper.take(), state.ending.take())
    }
    owner?.leave()
    keeper?.leave()
    ending?.open()
  }

  private final func stop(_ reason: UInt64) {
    word.bitwiseOr(Self.stopped | reason, ordering: .sequentiallyConsistent)
    didStop()
  }

  /// True if the death of the token does not end the registration.
  final var isKept: Bool { state & Self.kept != 0 }

  /// Lets the registration outlive its token.
  final func keep() { word.bitwiseOr(Self.kept, ordering: .relaxed) }

  // MARK: Lifetimes and bags

  /// Prevents new calls, ahead of the end with a lifetime or a bag.
  final func stopCalls(as role: EndingMembers.Role) {
    switch role {
    case .owner: willEndWithOwner()
    case .keeper: stop(0)
    }
  }

  /// Ends the registration with a lifetime or a bag.
  final func end(as role: EndingMembers.Role) {
    switch role {
    case .owner: endWithOwner()
    case .keeper: end()
    }
  }

  /// Ends the registration with the lifetime of its owner, or at once if that has ended.
  ///
  /// Called at most once.
  ///
  /// - Returns: `false` if the lifetime has already ended.
  @discardableResult
  package final func join(_ members: EndingMembers) -> Bool { join(members, as: .owner) }

  /// Lets a lifetime or a bag keep the registration, instead of its token or of another lifetime or bag.
  final func move(to members: EndingMembers) {
    keep()
    join(members, as: .keeper)
  }

  @discardableResult
  private final func join(_ members: EndingMembers, as role: EndingMembers.Role) -> Bool {
    let extras = extras.object(orMake: Extras.init)
    guard let membership = members.join(self, as: role) else {
      end(as: role)
      return false
    }
    let former = extras.state.withLock { state in
      switch role {
      case .owner: swapped(&state.owner, for: membership)
      case .keeper: swapped(&state.keeper, for: membership)
      }
    }
    former?.leave()
    // An end that comes later finds the membership; one that came before has not.
    if hasEnded { membership.leave() }
    return true
  }

  // MARK: Pauses

  /// Changes the number of pauses: 1 begins a pause, -1 ends one.
  package final func changePauses(by change: Int) {
    let amount = UInt64(bitPattern: Int64(change)) &* Self.onePause
    word.wrappingAdd(amount, ordering: .sequentiallyConsistent)
    didChangePauses()
  }

  // MARK: Calls

  /// Notes, before the handler is published, that its calls are not counted.
  final func countsNoCalls() { word.bitwiseOr(Self.uncounted, ordering: .relaxed) }

  final var areCallsCounted: Bool { state & Self.uncounted == 0 }

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
  final func countCall() { word.wrappingAdd(Self.oneCall, ordering: .sequentiallyConsistent) }

  /// Ends a call.
  package final func finish() {
    let word = word.wrappingSubtract(Self.oneCall, ordering: .sequentiallyConsistent).newValue
    let calls = word / Self.oneCall
    if word & Self.awaited != 0, calls <= 1 { callsEnded(left: calls) }
  }

  @inline(never)
  private final func callsEnded(left: UInt64) {
    guard let extras = extras.object else { return }
    let (idle, alone) = extras.state.withLock { state in
      (left == 0 ? state.idle.take() : nil, state.alone.take())
    }
    idle?.open()
    alone?.open()
  }

  /// Waits until the registration has ended and no call of its handler is running, except one that waits.
  ///
  /// Returns early when the task is cancelled.
  package final func waitUntilFinished() async {
    guard await waitForEnd() else { return }
    await waitForCalls()
  }

  private final func waitForEnd() async -> Bool {
    if isSettled { return true }
    let extras = extras.object(orMake: Extras.init)
    let ending = extras.state.withLock { state in
      let ending = state.ending ?? Latch()
      state.ending = ending
      return ending
    }
    return if isSettled { true } else { await ending.wait() }
  }

  /// Waits until no counted call is running.
  final func waitForCountedCalls() async {
    // A handler that waits for its own end does not wait for its current call.
    let isOwn = isOwnCall
    let extras = extras.object(orMake: Extras.init)
    let latch: Latch? = extras.state.withLock { state in
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
    let state = state
    assert(state / Self.oneCall < UInt64(1) << 31, "more calls have ended than begun")
    assert(state & Self.pauses < UInt64(1) << 31, "more pauses have ended than begun")
  }
}

/// Replaces a value, and returns the former one, to be released elsewhere.
private func swapped<Value>(_ place: inout Value, for value: Value) -> Value {
  defer { place = value }
  return place
}
