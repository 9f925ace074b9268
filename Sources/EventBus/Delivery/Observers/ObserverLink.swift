internal import Synchronization

/// An object that finishes as soon as a registration ends.
package protocol Finishable: AnyObject, Sendable {
  /// Finishes the object. Further calls do nothing.
  func finish()
}

/// Connects a token to an observer that code other than its token may remove.
///
/// Such an observer has an owner, a single call, or calls that wait in a queue. The first call that ends
/// the registration has the right, and the duty, to unlink the observer from the list.
///
/// Calls are counted here, except those of plain handlers with an owner. A call is counted first and then
/// checks for the end of the registration; the end is set first and then checks for calls. Both use one
/// word, so either the call is not made, or ``waitUntilFinished(_:)`` sees it.
package final class ObserverLink: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: atomic and locked.
{
  private struct State {
    /// Borrowed from the list, which releases the observer only after the registration has ended; then
    /// zero.
    var observer: UInt = 0
    var countsCalls = false
    /// Finishes with the registration; until then it may refer back to this link.
    var dependent: (any Finishable)?
    var pauses = 0
    var watcher: WeakCancellable?
    /// The lifetime of the owner, and the ticket for leaving it.
    var members: EndingMembers?
    var ticket: EndingMembers.Ticket?
    /// Opens when no call is running.
    var idle: Latch?
    /// Opens when no call is running except the one that waits.
    var alone: Latch?
  }

  private static let ended: UInt = 1
  /// Set once a task waits for the end of calls.
  private static let awaited: UInt = 2
  private static let oneCall: UInt = 4

  /// The list that holds the observer.
  package let list: ObserverList
  /// The flag for the end, and the number of running calls.
  private let word = Atomic<UInt>(0)
  /// The stamp that unlinking returned; until then a value that the list never returns.
  private let unlinkStamp = Atomic<UInt>(.max)
  private let state = Locked(State())

  /// Creates a link without an observer.
  ///
  /// - Parameter list: The list that will hold the observer.
  package init(_ list: ObserverList) { self.list = list }

  /// Connects the observer, once, before it is added to the list.
  package func connect(_ observer: AnyObserver) {
    let (address, countsCalls, dependent) = (
      observer.address, observer.countsCalls, observer.dependent
    )
    state.withLock { state in
      state.observer = address
      state.countsCalls = countsCalls
      state.dependent = dependent
    }
  }

  /// Ends the registration with the lifetime of its owner, or at once if that has ended.
  package func join(_ members: EndingMembers) {
    guard let ticket = members.join(self) else { return endByItself() }
    let hasEnded = state.withLock { state in
      if !self.hasEnded { (state.members, state.ticket) = (members, ticket) }
      return self.hasEnded
    }
    if hasEnded { members.leave(ticket) }
  }

  package func stopCalls() {
    state.withLock { state in
      guard state.observer != 0 else { return }
      word.bitwiseOr(Self.ended, ordering: .sequentiallyConsistent)
      AnyObserver.borrow(state.observer) { $0.stopCalls() }
    }
  }

  override package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) { stopCalls() }

  package func lifetimeEnded() { endByItself() }

  override package func end(_ handle: UInt) {
    guard let observer = take() else { return }
    unlinkStamp.store(list.unlink(address: observer), ordering: .releasing)
  }

  override package func isActive(_ handle: UInt) -> Bool {
    // The lifetime ends its members one after the other, and calls hooks in between.
    !hasEnded && state.withLock { $0.members }?.hasEnded != true
  }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    let reference = WeakCancellable(token)
    return state.withLock { state in
      state.watcher = reference
      return !hasEnded
    }
  }

  /// Ends the registration without its token, and notifies the token.
  package func endByItself() {
    end(0)
    cancelToken()
  }

  /// Marks the registration as ended while the list is being emptied.
  package func disconnect() {
    _ = take()
    cancelToken()
  }

  private func cancelToken() {
    let watcher = state.withLock { $0.watcher }
    watcher?.object?.cancel()
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    let isResumed = state.withLock { state in
      guard state.observer != 0 else { return false }
      state.pauses += change
      AnyObserver.borrow(state.observer) { $0.setPaused(state.pauses > 0) }
      return state.pauses == 0
    }
    if isResumed { list.registrationResumed() }
  }

  /// Begins a call by code that holds the observer.
  ///
  /// - Returns: `false` when the registration has ended; otherwise balance the call with ``finish()``.
  package func beginCall() -> Bool {
    let former = word.wrappingAdd(Self.oneCall, ordering: .sequentiallyConsistent).oldValue
    if former & Self.ended == 0 { return true }
    finish()
    return false
  }

  /// The observer's address, or zero when the registration has ended.
  ///
  /// A visit that began before this read keeps the observer alive.
  package var observerAddress: UInt { state.withLock { $0.observer } }

  /// Begins a call from a queue.
  ///
  /// The caller must request the observer's actual class: an observer and its queue entries belong
  /// together.
  ///
  /// - Returns: The observer, or `nil` when the registration has ended. Balance it with ``finish()``.
  package func begin<Kind: AnyObserver>() -> Kind? {
    state.withLock { state in
      guard state.observer != 0, !hasEnded else { return nil }
      word.wrappingAdd(Self.oneCall, ordering: .sequentiallyConsistent)
      return ObjectAddress.object(state.observer, as: Kind.self)
    }
  }

  /// Ends a call.
  package func finish() {
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
    guard state.withLock({ $0.countsCalls }) else {
      let stamp = unlinkStamp.load(ordering: .acquiring)
      return await list.waitUntilFree(stamp == .max ? nil : stamp)
    }
    // A handler that waits for its own end does not wait for its current call.
    let isOwn = RunningCall.isCalling(self)
    let latch: Latch? = state.withLock { state in
      let word = word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).newValue
      guard word / Self.oneCall > (isOwn ? 1 : 0) else { return nil }
      let latch = (isOwn ? state.alone : state.idle) ?? Latch()
      if isOwn { state.alone = latch } else { state.idle = latch }
      return latch
    }
    await latch?.wait()
  }

  private var hasEnded: Bool { word.load(ordering: .sequentiallyConsistent) & Self.ended != 0 }

  /// Ends the registration, if this call is the first to do so.
  ///
  /// - Returns: The address of the observer, for which no further call begins.
  private func take() -> UInt? {
    let (address, members, ticket, dependent) = state.withLock { state in
      let taken = (state.observer, state.members, state.ticket, state.dependent)
      if state.observer != 0 {
        word.bitwiseOr(Self.ended, ordering: .sequentiallyConsistent)
        AnyObserver.borrow(state.observer) { $0.stopCalls() }
        (state.observer, state.members, state.ticket) = (0, nil, nil)
        state.dependent = nil
      }
      return taken
    }
    guard address != 0 else { return nil }
    if let ticket { members?.leave(ticket) }
    dependent?.finish()
    return address
  }
}

/// The asynchronous handler call that the current task is making.
///
/// A task that the handler starts inherits the task-local, so the task's own identity is compared as well.
/// That identity is valid only while the task runs, which is until the call has ended.
package final class RunningCall: Sendable {
  @TaskLocal private static var innermost: RunningCall?

  /// The registrations whose handlers wait for this call, including its own.
  package let links: [ObjectIdentifier]
  private let task: Int
  private let hasEnded = Atomic<Bool>(false)

  private init(links: [ObjectIdentifier], task: Int) {
    self.links = links
    self.task = task
  }

  /// The call that the current task itself is making.
  package static var current: RunningCall? {
    guard let innermost, !innermost.hasEnded.load(ordering: .acquiring),
      innermost.task == currentTaskID()
    else { return nil }
    return innermost
  }

  /// Returns whether the current task itself is making a call for a registration.
  package static func isCalling(_ link: ObserverLink) -> Bool {
    current?.links.first == ObjectIdentifier(link)
  }

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - link: The link of the registration.
  ///   - callers: The registrations whose handlers wait for this call.
  ///   - body: The call.
  package static func run(
    _ link: ObserverLink,
    callers: [ObjectIdentifier],
    _ body: () async -> Void
  ) async {
    let call = RunningCall(links: [ObjectIdentifier(link)] + callers, task: currentTaskID())
    await $innermost.withValue(call, operation: body)
    call.hasEnded.store(true, ordering: .releasing)
  }
}
