/// A weak property that becomes `nil` when its object's lifetime ends, and reports that change.
///
/// ```swift
/// final class Visitor: LifetimeOwner, Sendable {
///   let lifetime = Lifetime()
/// }
///
/// @MainActor final class Desk {
///   @WeakObserved var visitor: Visitor?
/// }
/// ```
///
/// Observers are notified of the end on the thread that released the object, or on their actor. The object
/// is being deinitialized then, so ``Change/old`` is `nil` as well, unless the lifetime was ended
/// explicitly while the object is alive. Likewise, an object that died before a change was delivered is
/// `nil` in that change; the report of its end follows.
///
/// Assigning the current object again is not reported. As with ``Observed``, copies of a structure would share the
/// property: declare it in a class.
///
/// ## Thread safety
///
/// All members may be called on any thread. As with ``SharedObserved``, handlers are called in the
/// isolation they were written in; no lock is held while they are called or their captures are released.
@propertyWrapper
public final class WeakObserved<Referent: LifetimeOwner & Sendable>: Sendable {
  fileprivate typealias Shared = SharedObserved<WeakReferent<Referent>?>

  fileprivate let shared: Shared

  /// Creates a property.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial object.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public init(
    wrappedValue: Referent? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    shared = Shared(nil, comparing: WeakReferent.areSame, fileID: fileID, line: line)
    if wrappedValue != nil { self.wrappedValue = wrappedValue }
  }

  /// The object, or `nil`.
  ///
  /// Assigning an object whose lifetime has already ended makes the property `nil` at once.
  ///
  /// - Complexity: O(1) with one lock to get. O(*n*) in the number of observers to set.
  public var wrappedValue: Referent? {
    get { shared.value?.object }
    set {
      let referent = newValue.map { WeakReferent($0) }
      shared.value = referent
      if let newValue { referent?.clear(shared, at: newValue.lifetime) }
      // Retained so long, so that the comparison cannot release the last reference.
      withExtendedLifetime(newValue) {}
    }
  }

  /// A view of the property for reading and observing it.
  public var projectedValue: ReadOnly { readOnly }
}

extension WeakObserved {
  /// A view of a weak property that can be read and observed, but not changed.
  ///
  /// The projected value of a property, such as `$visitor`, is such a view. It retains the property, but
  /// neither the object to which the property refers nor the object that declares it.
  ///
  /// ## Thread safety
  ///
  /// All members may be called on any thread.
  public struct ReadOnly: WeakObservedValue {
    fileprivate let property: WeakObserved

    /// This view.
    public var readOnly: WeakObserved.ReadOnly { self }
  }
}

extension WeakObserved: WeakObservedValue {
  /// A view of the property for reading and observing it.
  public var readOnly: ReadOnly { ReadOnly(property: self) }
}

/// A weak property that can be observed: a ``WeakObserved`` property, or its ``WeakObserved/ReadOnly`` view.
///
/// Both have the members for reading and observing. Only ``WeakObserved/wrappedValue`` sets the object.
public protocol WeakObservedValue<Referent>: Sendable {
  /// The type of the object.
  associatedtype Referent: LifetimeOwner & Sendable

  /// A view of the property for reading and observing it.
  var readOnly: WeakObserved<Referent>.ReadOnly { get }
}

extension WeakObservedValue {
  /// The object, or `nil`.
  ///
  /// - Complexity: O(1) with one lock.
  public var value: Referent? { readOnly.property.wrappedValue }

  /// The number of merged changes, as for ``SharedObservedValue/mergedCount``.
  ///
  /// - Complexity: O(1).
  public var mergedCount: Int { shared.observers.mergedCount }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The owner that was passed to `observe`.
  /// - Complexity: O(*n*) in the number of observers.
  public func unobserve<Owner: AnyObject>(owner: Owner) { shared.observers.end(of: owner) }

  private var shared: WeakObserved<Referent>.Shared { readOnly.property.shared }
}

extension WeakObservedValue {
  /// Calls a handler for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current object, before any later change.
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
    _ handler: @escaping @isolated(any) @Sendable (Change<Referent?>) -> Void
  ) -> Token {
    let request = SharedObserveRequest(initial, CallSite(fileID, line), on: handler.isolation)
    return shared.observe(request, WeakReferent.objects, withoutIsolation(handler))
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
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Referent?>) -> Void
  ) -> Token {
    let request = SharedObserveRequest(initial, CallSite(fileID, line), id, on: handler.isolation)
    return shared.observe(request, owner: owner, WeakReferent.objects, withoutIsolation(handler))
  }

  /// Calls a handler on an actor for every change while the actor is alive.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
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
    _ handler: @escaping @Sendable (isolated Owner, Change<Referent?>) -> Void
  ) -> Token {
    let request = SharedObserveRequest(initial, CallSite(fileID, line), id, on: owner)
    let call = withoutIsolation(onOwner: handler)
    return shared.observe(request, owner: owner, WeakReferent.objects, call)
  }
}

extension WeakObservedValue {
  /// Assigns the object to a property of another object on the caller's actor, now and after every change.
  ///
  /// ```swift
  /// final class Visitor: LifetimeOwner, Sendable {
  ///   let lifetime = Lifetime()
  /// }
  ///
  /// @MainActor final class Badge {
  ///   weak var visitor: Visitor?
  /// }
  ///
  /// @MainActor func show(_ visitor: WeakObserved<Visitor>.ReadOnly, on badge: Badge) {
  ///   visitor.bind(to: badge, \.visitor)
  /// }
  /// ```
  ///
  /// Declare the target `weak`, as here: a strong one keeps the object alive, so that its end is never reported.
  /// Otherwise, a binding works like that of a ``SharedObserved`` property.
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
    _ keyPath: ReferenceWritableKeyPath<Owner, Referent?>,
    isolation: isolated any Actor = #isolation
  ) -> Token {
    shared.bind(to: owner, keyPath, on: isolation) { $0?.object }
  }

  /// Returns the current object and all later ones as an asynchronous sequence; `nil` stands for none.
  ///
  /// The sequence works like that of a ``SharedObserved`` property. It retains the objects that it buffers until they
  /// are consumed: read it promptly, or limit the buffer.
  ///
  /// - Parameters:
  ///   - buffering: The policy for objects that have not been consumed. A size below one prints a warning to
  ///     standard error and keeps one object.
  ///   - lifetime: A lifetime that ends the sequence.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The sequence. Releasing it ends the registration. It does not retain the property.
  /// - Complexity: Amortized O(1).
  public func values(
    buffering: AsyncStream<Referent?>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> some AsyncSequence<Referent?, Never> & Sendable {
    EventStream(buffering, until: lifetime, fileID: fileID, line: line) {
      shared.observe(SharedObserveRequest(true, CallSite(fileID, line)), WeakReferent.objects, $0)
    }
  }
}

/// The value of a weak property: a weak reference to an object, and a hook on the object's lifetime that
/// clears the property.
///
/// Values are compared by identity, under a lock. The object is loaded there only if a setter, which
/// retains the new object, compares two equal identities: the old object is then that same object, or a
/// dead one whose memory it reuses.
final class WeakReferent<Referent: LifetimeOwner & Sendable>: Sendable {
  /// The object while it is alive.
  ///
  /// The type's documentation names the one case in which it is loaded under a lock.
  weak let object: Referent?
  private let identity: ObjectIdentifier
  /// The hook, which is removed with the last reference to this value.
  private let hook = Locked<Token?>(nil)

  init(_ object: Referent) {
    self.object = object
    identity = ObjectIdentifier(object)
  }

  deinit { hook.withLock { $0.take() }?.cancel() }

  /// Returns a change of the object itself.
  static func objects(_ change: Change<WeakReferent?>) -> Change<Referent?> {
    Change(change.kind, old: change.old?.object, new: change.new?.object)
  }

  /// Returns whether two values refer to the same object, or both to none.
  ///
  /// If both values are the same instance, the object is not loaded: the caller may not retain it, and it must not
  /// be released under the lock.
  static func areSame(_ old: WeakReferent?, _ new: WeakReferent?) -> Bool {
    guard let old, let new, old !== new else { return old === new }
    return old.identity == new.identity && old.object != nil
  }

  /// Clears a property when the object's lifetime ends, unless the property has another value by then.
  fileprivate func clear(_ shared: WeakObserved<Referent>.Shared, at lifetime: Lifetime) {
    let token = lifetime.onEnd { [weak self, weak shared] in
      // Released outside the lock.
      guard let self else { return }
      shared?.update { value in
        if value === self { value = nil }
      }
    }
    hook.withLock { $0 = token }
  }
}
