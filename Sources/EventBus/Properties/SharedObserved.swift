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
/// handler on the delivering thread, an actor-isolated handler later on its actor, in order.
///
/// One thread delivers at a time. A setter may return before another thread, which is delivering at that
/// moment, has delivered the setter's change. A change made by an observer is delivered after the change
/// for which the observer was called. More than 100 changes in a row, each made in the call for the
/// previous one, cause a single warning, also if the observer runs on an actor.
///
/// A thread delivers at most 64 changes of other threads after its own. A task continues from there, and
/// the next setter may take over from the task. When more than 1,000 changes are pending, for a slow
/// observer or a busy actor, neighbouring changes merge into one with the first old value and the last new
/// value, so the chain stays unbroken. If these two are equal, and the property does not report equal
/// values, the merged change is dropped. Changes merge across a registration or the end of a pause
/// only when 2,000 are pending, which is also the maximum. An observer that registered in the middle of a
/// merged change receives a change that begins with the value it knows. ``mergedCount`` counts the merged
/// changes.
///
/// With ``ObserveOptions/prior``, an observer on an actor receives the announcement on that actor, just
/// before the change.
///
/// For a property of one isolation domain, use ``Observed``, which needs no lock.
///
/// ## Thread safety
///
/// All members may be called on any thread. Handlers are called, and their captures released, without a
/// lock held. As the only exception in the library, the closure passed to ``update(_:)`` and the value's
/// `==` run under this property's lock; using the property inside them traps.
public final class SharedObserved<Value: Sendable>: Sendable {
  /// The implementation; visible to tests.
  package let core: SharedCore<Value>

  /// Creates a property that does not report a value equal to its current one.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line)
  where Value: Equatable {
    core = SharedCore(value, areEqual: { $0 == $1 }, fileID: fileID, line: line)
  }

  /// Creates a property that reports every assignment.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @_disfavoredOverload
  public init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) {
    core = SharedCore(value, areEqual: nil, fileID: fileID, line: line)
  }

  deinit { core.close() }

  /// The number of changes that were merged with a neighbouring change, because more than 1,000 were
  /// pending, and so were not reported separately.
  ///
  /// It counts merges in the property's own queue, and in the queue of each observer that runs on an actor
  /// or is being registered.
  ///
  /// - Complexity: O(1).
  public var mergedCount: Int { core.mergedCount }

  /// The current value.
  ///
  /// - Complexity: O(1) with one lock to get. O(*n*) in the number of observers to set.
  public var value: Value {
    get { core.value }
    set { core.set(newValue) }
  }

  /// Mutates the value atomically: no other thread reads or changes it during the mutation.
  ///
  /// If the closure throws, mutations made before the error remain and are reported.
  ///
  /// - Parameter body: Mutates the value. It runs under the property's lock; using the property inside it
  ///   traps.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  /// - Complexity: O(*n*) in the number of observers. In place without observers; otherwise one copy.
  @discardableResult
  public func update<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    var result: Result?
    try core.update { result = try body(&$0) }
    guard let result else { preconditionFailure("no result") }  // Reason: `update` ran the closure.
    return result
  }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The owner that was passed to `observe`.
  /// - Complexity: O(*n*) in the number of observers.
  public func unobserve<Owner: AnyObject>(owner: Owner) {
    core.endAll { $0.belongs(to: owner, as: nil) }
  }
}

extension SharedObserved {
  /// Calls a handler for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - options: The calls to make besides those for changes. The initial value is delivered during the
  ///     registration or queued on the handler's actor, before any later change. A change is announced as
  ///     ``Change/Kind/prior`` just before it is reported; other threads may already read the new value.
  ///   - fileID: The source file of the registration; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  ///   - handler: Called with each change, in the isolation it was written in.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1).
  public func observe(
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Change<Value>) -> Void
  ) -> Token {
    let request = SharedCore<Value>.Request(options: options, fileID: fileID, line: line)
    return core.observe(request, on: handler.isolation, { $0 }, withoutIsolation(handler))
  }

  /// Calls a handler for every change while its owner is alive.
  ///
  /// The owner is held weakly and passed to the handler. If it is a ``LifetimeOwner``, the registration
  /// ends as soon as its lifetime ends. Registrations of other owners are removed by sweeps.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime limits the registration.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - options: The calls to make besides those for changes.
  ///   - fileID: The source file of the registration; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  ///   - handler: Called with the owner and each change, in the isolation it was written in.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Value>) -> Void
  ) -> Token {
    let request = SharedCore<Value>.Request(options: options, fileID: fileID, line: line, id: id)
    let (actor, call) = (handler.isolation, withoutIsolation(handler))
    return core.observe(request, owner: owner, on: actor, { $0 }, call)
  }

  /// Calls a handler on an actor for every change while the actor is alive.
  ///
  /// - Parameters:
  ///   - owner: The actor on which the handler runs, held weakly.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - options: The calls to make besides those for changes.
  ///   - fileID: The source file of the registration; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  ///   - handler: Called on the actor with each change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Change<Value>) -> Void
  ) -> Token {
    let request = SharedCore<Value>.Request(options: options, fileID: fileID, line: line, id: id)
    let call = withoutIsolation(onOwner: handler)
    return core.observe(request, owner: owner, on: owner, { $0 }, call)
  }
}
