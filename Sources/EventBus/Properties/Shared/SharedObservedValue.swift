/// A value that any thread may observe: a ``SharedObserved`` property, or its
/// ``SharedObserved/ReadOnly``.
public protocol SharedObservedValue<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// A view of the value that can be observed but not set.
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
  public func unobserve<Owner: AnyObject>(owner: Owner) { shared.observers.end(of: owner) }
}

extension SharedObservedValue {
  /// Calls a handler for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current value. It is delivered during the
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
    let request = SharedObserveRequest(initial, CallSite(fileID, line), on: handler.isolation)
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
  ///   - initial: Whether the handler is also called with the current value, before any later change.
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
    let request = SharedObserveRequest(initial, CallSite(fileID, line), id, on: handler.isolation)
    return shared.observe(request, owner: owner, { $0 }, withoutIsolation(handler))
  }

  /// Calls a handler on an actor for every change while the actor is alive.
  ///
  /// - Parameters:
  ///   - owner: The actor on which the handler runs, held weakly.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - initial: Whether the handler is also called with the current value, before any later change.
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
    let request = SharedObserveRequest(initial, CallSite(fileID, line), id, on: owner)
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
  /// The object belongs to the actor, and need not be `Sendable`: a `@MainActor` class, even in its `init`,
  /// or an object that an actor owns. A call without an actor does not compile. Nor does a key path to a
  /// property of an actor itself; an actor observes with `observe(owner: self)`.
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
      shared.observe(SharedObserveRequest(true, CallSite(fileID, line)), { $0 }, $0)
    }
  }
}

extension SharedObserved {
  /// Converts a change into the one that the handler receives.
  typealias View<Seen> = @Sendable (Change<Value>) -> Change<Seen>

  /// Registers a handler that belongs to its token.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - view: Converts a change into the one that the handler receives.
  ///   - call: The handler, without its isolation.
  /// - Returns: The token.
  func observe<Seen>(
    _ request: SharedObserveRequest,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Change<Seen>) throws -> Void
  ) -> Token {
    register(request) { try call(view($1)) }
  }

  /// Registers a handler that belongs to an object.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The object, held weakly.
  ///   - view: Converts a change into the one that the handler receives.
  ///   - call: The handler, without its isolation.
  /// - Returns: The token.
  func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: SharedObserveRequest,
    owner: Owner,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Owner, Change<Seen>) throws -> Void
  ) -> Token {
    register(request, owner: owner) { owner, change in
      if let owner = owner as? Owner { try call(owner, view(change)) }
    }
  }

  /// Registers an observer and delivers the initial value, if it is requested.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner, held weakly.
  ///   - isAtHome: True if the caller runs on the handler's actor, and the
  ///     initial value is to be delivered before the method returns.
  ///   - handler: The handler.
  /// - Returns: The token, whose release ends the registration unless it has an owner.
  func register(
    _ request: SharedObserveRequest,
    owner: AnyObject? = nil,
    isAtHome: Bool = false,
    _ handler: @escaping SharedHandler<Value>
  ) -> Token {
    _ = enteringThread()
    let registration = observers.add(request, owner: owner, handler)
    // Added before the value is read: every change is either in the value or reaches the sink.
    let (value, newest) = state.withLock { $0.register() }
    registration.sink(as: SharedSink<Value>.self)?.begin(with: value, newest, request.initial)
    let count = SharedChanges<Value>.othersPerTurn + (request.initial ? 1 : 0)
    observers.handOver(to: registration, count, isAtHome: isAtHome, retaining: self)
    return Token(registration, isKept: owner != nil)
  }

  /// Registers a binding, and assigns the current value before returning.
  ///
  /// - Parameters:
  ///   - owner: The object to update, held weakly.
  ///   - keyPath: The property to set.
  ///   - actor: The actor on which the caller runs.
  ///   - target: Returns what is assigned for a value.
  /// - Returns: The token.
  func bind<Owner: AnyObject, Target>(
    to owner: Owner,
    _ keyPath: ReferenceWritableKeyPath<Owner, Target>,
    on actor: any Actor,
    _ target: @escaping @Sendable (Value) -> Target
  ) -> Token {
    let (binding, home) = (SharedBinding(keyPath), WeakActor(actor))
    // Cancelled with the release of the handler, on any thread that ends the binding.
    let end = Token {
      // Nothing runs on an actor that has been deallocated.
      guard let actor = home.actor else { return }
      Task.detached { await binding.clear(on: actor) }
    }
    let site = observers.site
    let request = SharedObserveRequest(true, CallSite(site.fileID, site.line), on: actor)
    return register(request, owner: owner, isAtHome: true) { [end] owner, change in
      SettingChain.bind(site) { binding.set(target(change.new), of: owner) }
      withExtendedLifetime(end) {}
    }
  }
}

/// The target of a binding: a property of an object, which its registration holds.
///
/// The key path need not be `Sendable`, because it is used only on the actor of the binding. It may retain the
/// arguments of a subscript, so it is released there as well.
private final class SharedBinding<Owner: AnyObject, Value>:
  @unchecked Sendable  // Reason: confined to the actor.
{
  private var keyPath: ReferenceWritableKeyPath<Owner, Value>?

  init(_ keyPath: ReferenceWritableKeyPath<Owner, Value>) { self.keyPath = keyPath }

  func set(_ value: Value, of owner: AnyObject?) {
    if let owner = owner as? Owner, let keyPath { owner[keyPath: keyPath] = value }
  }

  func clear(on actor: isolated any Actor) { keyPath = nil }
}

/// The parameters of a registration with a shared property.
struct SharedObserveRequest {
  /// Whether the handler is also called with the value at the registration.
  let initial: Bool
  /// The call that registers the handler.
  let site: CallSite
  /// The identifier under which the registration replaces an earlier one of its owner.
  let id: AnyHashable?
  /// The actor on which the handler runs.
  let actor: (any Actor)?

  init(
    _ initial: Bool,
    _ site: CallSite,
    _ id: (any Hashable & Sendable)? = nil,
    on actor: (any Actor)? = nil
  ) {
    (self.initial, self.site) = (initial, site)
    (self.id, self.actor) = (id.map { AnyHashable($0) }, actor)
  }
}
