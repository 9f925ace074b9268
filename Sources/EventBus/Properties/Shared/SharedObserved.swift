internal import Synchronization

/// A value that several threads read, change and observe.
///
/// ```swift
/// let progress = SharedObserved(0.0)
/// let token = progress.observe { change in print("\(change.old) → \(change.new)") }
/// progress.value = 0.5
/// progress.update { $0 += 0.1 }
/// ```
///
/// Every observer receives every change in the order in which the changes were made: each ``Change/old``
/// is the previous ``Change/new``. A handler runs in the isolation it was written in: a nonisolated
/// handler on the delivering thread, an actor-isolated handler on its actor, in order. The latter is called
/// later, except for ``update(isolation:_:)`` on that actor.
///
/// ``readOnly`` can observe the property but not set it. A ``batch(_:)`` does not defer the reports of a
/// shared property.
///
/// One thread delivers at a time. A setter may return before another thread, which is delivering at that
/// moment, has delivered the setter's change. A change made by an observer is delivered after the change
/// for which the observer was called. More than 100 changes in a row, each made in the call for the
/// previous one, cause a single warning, even if the observer runs on an actor.
///
/// After its own change, a setter delivers at most 64 changes of other threads. A task delivers the
/// rest, and the next setter may take over from the task.
///
/// The value is released with the property, whatever tokens exist, and the registrations end. A delivery that
/// a task has taken over is completed first, and retains the property until then, so changes made before still
/// reach the handlers. A change that waits for an actor does not.
///
/// The values that wait for one handler are released as soon as its registration ends, even while another
/// handler keeps its actor busy. The death of an owner without a lifetime is noticed only when its actor is
/// free.
///
/// When 1,000 changes are pending, for a slow observer or a busy actor, further ones merge with the last into one
/// with the first old value and the last new value, so the chain of every observer stays unbroken. If these two are
/// equal, and the property does not report equal values, the merged change is dropped. An observer that registered
/// in the middle of a merged change receives one that begins with the value it knows. Changes from before and after
/// the end of a pause may merge as well: an observer that resumes may receive a change that began during its pause, or
/// none, if the merged changes cancel each other out.
/// ``SharedObservedValue/mergedCount`` counts the merged changes.
///
/// For a property of one isolation domain, use ``Observed``, which needs no lock. A ``Computed`` value also
/// lives in one isolation domain, so bind the shared property to an observed one and compute from that.
///
/// ```swift
/// @MainActor final class Downloads {
///   @Observed var progress = 0.0
///   private(set) lazy var summary = Computed($progress) { "\(Int($0 * 100)) %" }
///
///   init(_ shared: SharedObserved<Double>) {
///     shared.bind(to: self, \.progress)
///   }
/// }
/// ```
///
/// ## Thread safety
///
/// All members may be called on any thread. Handlers are called, and their captures released, without a
/// lock held. As the only exception in the library, the closure passed to ``update(isolation:_:)`` and the
/// value's `==`, or the predicate passed to the initializer, run under this property's lock; using the property
/// inside them traps.
public final class SharedObserved<Value: Sendable>: SharedObservedValue {
  /// A view of a shared property that can be observed but not set.
  ///
  /// It retains the property. All members may be used on any thread.
  public struct ReadOnly: SharedObservedValue {
    /// The property.
    package let property: SharedObserved

    /// The value itself.
    public var readOnly: ReadOnly { self }
  }

  /// The value and its pending changes.
  let state: Locked<SharedChanges<Value>>
  /// The observers; visible to tests.
  ///
  /// Tokens retain them, but not the property. A task to which a delivery is left retains the property; the
  /// registrations end with it, once they have received what was set before.
  package let observers: SharedObservers<Value>
  /// The thread that runs a user's closure or `==` under the lock, or zero.
  let insider = Atomic<UInt>(0)

  /// Creates a property that does not report a value equal to its current one, where NaN equals NaN, as for an
  /// ``Observed`` property.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line)
  where Value: Equatable {
    state = Locked(SharedChanges(value))
    observers = SharedObservers(areEqual: sharedSameness(), fileID: fileID, line: line)
  }

  /// Creates a property that reports every assignment.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @_disfavoredOverload
  public init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) {
    state = Locked(SharedChanges(value))
    observers = SharedObservers(areEqual: { _, _ in false }, fileID: fileID, line: line)
  }

  /// Creates a property that ignores values that a predicate considers equal.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - areEqual: Returns whether two values are equal. A value equal to the current one is not reported; while the
  ///     property has observers, an assignment does not even store it. It is called under the property's lock, and
  ///     must not use the property.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public init(
    _ value: Value,
    comparing areEqual: @escaping @Sendable (Value, Value) -> Bool,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    state = Locked(SharedChanges(value))
    observers = SharedObservers(areEqual: areEqual, fileID: fileID, line: line)
  }

  deinit { observers.close() }

  /// A view of the property that can be observed but not set.
  public var readOnly: ReadOnly { ReadOnly(property: self) }

  /// The current value.
  ///
  /// Handlers on an actor are called later, because a setter cannot know that it runs on that actor; use
  /// ``update(isolation:_:)`` to call them at once.
  ///
  /// - Complexity: O(1) with one lock to get. O(*n*) in the number of observers to set.
  public var value: Value {
    get {
      _ = enteringThread()
      return state.withLock { $0.value }
    }
    set {
      // Released outside the lock.
      var unobserved: Value?
      write { state, thread, former in
        if observers.isEmpty {
          unobserved = state.value
        } else {
          if areEqual(state.value, newValue, on: thread) { return }
          former = state.value
        }
        state.value = newValue
      }
      withExtendedLifetime(unobserved) {}
    }
  }

  /// Mutates the value atomically: no other thread reads or changes it during the mutation.
  ///
  /// On an actor, the handlers on that actor are called before the method returns, after the changes that
  /// wait for them. They are called later if another thread is delivering at this moment, or if a handler
  /// of this property makes the call: handlers never nest.
  ///
  /// If the closure throws, mutations made before the error remain and are reported.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  ///   - body: Mutates the value. It runs under the property's lock; using the property inside it traps, even in
  ///     the `deinit` of an element that it removes. Return such elements, or assign ``value``.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  /// - Complexity: O(*n*) in the number of observers. In place without observers; otherwise one copy.
  @discardableResult
  public func update<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Result?
    // Copied only if there are observers, and released outside the lock.
    var old: Value?
    defer { withExtendedLifetime(old) {} }
    try write(isolation: isolation) { state, thread, former throws(Failure) in
      if !observers.isEmpty { old = state.value }
      defer {
        if let kept = old, !areEqual(kept, state.value, on: thread) { former = old.take() }
      }
      insider.store(thread, ordering: .relaxed)
      defer { insider.store(0, ordering: .relaxed) }
      result = try body(&state.value)
    }
    guard let result else { preconditionFailure("no result") }  // Reason: `write` ran the closure.
    return result
  }
}

// The lock is held while a write is recorded; handlers are called without it.
extension SharedObserved {
  /// Writes to the value, and delivers the change if no other thread is delivering.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the caller runs.
  ///   - body: Writes under the lock, and assigns the value before the write if that is to be reported.
  /// - Throws: The error of the closure.
  func write<Failure: Error>(
    isolation: (any Actor)? = nil,
    _ body: (inout SharedChanges<Value>, _ thread: UInt, _ former: inout Value?) throws(Failure) ->
      Void
  ) throws(Failure) {
    let thread = enteringThread()
    let isInHandler = observers.isCalling(on: thread)
    // Both are released outside the lock, before the delivery.
    var former: Value?
    var displaced: Value?
    var mustDeliver = false
    defer {
      former = nil
      if displaced != nil {
        displaced = nil
        observers.countMerged()
      }
      // A handler that was called later, outside a turn, must not be called again inside itself.
      if mustDeliver { deliver(isInHandler ? nil : isolation) }
    }
    try state.withLock { state throws(Failure) in
      defer {
        if let former {
          mustDeliver = state.record(
            from: former,
            by: thread,
            answering: SettingChain.current,
            displaced: &displaced
          )
        }
      }
      try body(&state, thread, &former)
    }
  }

  // MARK: Delivery

  /// Delivers rounds until the turn of this thread, or of this task, is over.
  ///
  /// - Parameter isolation: The actor on which the caller runs; its handlers are called at once.
  private func deliver(_ isolation: (any Actor)? = nil) {
    while true {
      let (next, startsTask) = state.withLock { $0.next() }
      guard var round = next else {
        // The task retains the property, whose end would end the registrations.
        if startsTask { Task.detached { self.deliverRest() } }
        return
      }
      // The first change of a chain was made by no handler.
      if round.chain.changes > SettingChain.warningLength + 1 { observers.warnOnce() }
      if round.isNothing(observers.areEqual) {
        observers.countMerged()
        if state.withLock({ !$0.isKnownInPart(round) }) { continue }
        round = round.counted
      }
      round.chain.calling { observers.deliver(round, isolation) }
    }
  }

  /// Continues, in a task, the delivery that a thread has left.
  private func deliverRest() {
    let thread = currentThreadID()
    if state.withLock({ $0.taskBegins(on: thread) }) { deliver() }
  }

  // MARK: User code under the lock

  func areEqual(_ old: Value, _ new: Value, on thread: UInt) -> Bool {
    insider.store(thread, ordering: .relaxed)
    defer { insider.store(0, ordering: .relaxed) }
    return observers.areEqual(old, new)
  }

  /// Returns the calling thread; traps if it is already inside an update or a comparison.
  func enteringThread() -> UInt {
    let thread = currentThreadID()
    if insider.load(ordering: .relaxed) == thread {
      let site = observers.site
      trap(
        "The property at \(site.fileID):\(site.line) was used inside its own update or comparison",
        remedy: "Use the value that update passes to its closure",
        fileID: site.fileID,
        line: site.line
      )
    }
    return thread
  }
}
