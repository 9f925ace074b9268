/// A value that any thread may observe: a ``SharedObserved`` property, or its
/// ``SharedObserved/ReadOnly``.
public protocol SharedObservedValue<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The right to observe the value, without the right to set it.
  var readOnly: SharedObserved<Value>.ReadOnly { get }
}

extension SharedObservedValue {
  private var shared: SharedObserved<Value> { readOnly.property }

  /// The current value.
  ///
  /// - Complexity: O(1), one lock.
  public var value: Value { shared.value }

  /// The number of changes that were merged with a neighboring change, because more than 1,000 were
  /// pending, and so were not reported separately.
  ///
  /// It counts merges in the property's own queue, and in the queue of each observer that runs on an actor
  /// or is being registered.
  ///
  /// - Complexity: O(1).
  public var mergedCount: Int { shared.observers.mergedCount }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The owner that was passed to `observe`.
  /// - Complexity: O(*n*) in the number of observers.
  public func unobserve<Owner: AnyObject>(owner: Owner) {
    shared.observers.endAll { shared.observers.isOwned($0, by: owner) }
  }
}

extension SharedObservedValue {
  /// Calls a handler for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is called with the current value, too. It is delivered during the
  ///     registration or queued on the handler's actor, before any later change.
  ///   - fileID: The source file of the registration; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  ///   - handler: Called with each change, in the isolation it was written in.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1).
  public func observe(
    initial: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Change<Value>) -> Void
  ) -> Token {
    let request = SharedObserveRequest(initial: initial, fileID, line, on: handler.isolation)
    return shared.observe(request, { $0 }, withoutIsolation(handler))
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
  ///   - initial: Whether the handler is called with the current value, too, before any later change.
  ///   - fileID: The source file of the registration; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  ///   - handler: Called with the owner and each change, in the isolation it was written in.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    initial: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Value>) -> Void
  ) -> Token {
    let request = SharedObserveRequest(
      initial: initial,
      fileID,
      line,
      id: id,
      on: handler.isolation
    )
    return shared.observe(request, owner: owner, { $0 }, withoutIsolation(handler))
  }

  /// Calls a handler on an actor for every change while the actor is alive.
  ///
  /// - Parameters:
  ///   - owner: The actor on which the handler runs, held weakly.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - initial: Whether the handler is called with the current value, too, before any later change.
  ///   - fileID: The source file of the registration; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  ///   - handler: Called on the actor with each change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    initial: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Change<Value>) -> Void
  ) -> Token {
    let request = SharedObserveRequest(initial: initial, fileID, line, id: id, on: owner)
    return shared.observe(request, owner: owner, { $0 }, withoutIsolation(onOwner: handler))
  }
}

extension SharedObservedValue {
  /// Assigns the value to a property of an object on the caller's actor, now and after every change.
  ///
  /// The current value is assigned before the method returns; each later one on the same actor, in order.
  ///
  /// ```swift
  /// @MainActor final class ProgressBar {
  ///   var fraction = 0.0
  /// }
  ///
  /// let progress = SharedObserved(0.5)
  /// let bar = ProgressBar()
  /// progress.bind(to: bar, \.fraction)  // on the main actor
  /// ```
  ///
  /// The object belongs to the actor, and need not be `Sendable`: a `@MainActor` class, also in its
  /// `init`, or an object that an actor owns. A call without an actor does not compile. Nor does a key path
  /// to a property of an actor itself; an actor observes with `observe(owner: self)`.
  ///
  /// Bindings in a circle of values that are never equal stop with a message, as for an ``Observed`` property.
  ///
  /// - Parameters:
  ///   - owner: The object to update, held weakly. The binding ends with it.
  ///   - keyPath: The property to set.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: A token that cancels the binding. Releasing the token does not.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func bind<Owner: AnyObject>(
    to owner: Owner,
    _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
    isolation: isolated any Actor = #isolation
  ) -> Token {
    shared.bind(to: owner, keyPath, on: isolation) { $0 }
  }

  /// Returns the current value and all later ones as an asynchronous sequence.
  ///
  /// The sequence buffers values from this call on, without a gap: the current value, then the new value of
  /// every change, in the order in which the changes were made. It ends after its buffered values when the
  /// property is deinitialized or the lifetime ends, and at once for a cancelled task. Tasks that share the
  /// sequence share its elements.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed. A size below one prints a warning to
  ///     standard error and keeps one value.
  ///   - lifetime: A lifetime that ends the sequence.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The sequence. Releasing it ends the registration. It does not retain the property.
  /// - Complexity: Amortized O(1).
  public func values(
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> some AsyncSequence<Value, Never> & Sendable {
    EventStream(buffering, until: lifetime, fileID: fileID, line: line) {
      shared.observe(SharedObserveRequest(initial: true, fileID, line), { $0 }, $0)
    }
  }
}
