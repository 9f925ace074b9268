/// A property that does not keep its object, becomes `nil` when the object's lifetime ends, and says so.
///
/// ```swift
/// @MainActor final class Desk {
///   @WeakObserved var visitor: Visitor?
/// }
/// ```
///
/// Its observers are told of the end on the thread that let the object go, or on their actor. The object
/// is being torn down then: in the change that reports its end ``Change/old`` is `nil`, too, unless the
/// lifetime was ended by hand while the object lives. Likewise an object that has died before a change
/// was delivered is `nil` in that change, and the report of its end follows.
///
/// Setting the object that is there already is not reported.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Handlers are called, and what they captured is released,
/// under no lock, where they were written, as with ``SharedObserved``.
@propertyWrapper
public final class WeakObserved<Referent: LifetimeOwner & Sendable>: Sendable {
  let core: SharedCore<WeakReferent<Referent>>
  private let cell: WeakReferentCell<Referent>

  /// Creates a property.
  ///
  /// - Parameters:
  ///   - wrappedValue: The object to begin with.
  ///   - fileID: Where the property was written; filled in by the compiler.
  ///   - line: Its line.
  public init(
    wrappedValue: Referent? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    core = SharedCore(
      WeakReferent(nil),
      areEqual: WeakReferent.areSame,
      fileID: fileID,
      line: line
    )
    cell = WeakReferentCell(core)
    if wrappedValue != nil { self.wrappedValue = wrappedValue }
  }

  deinit {
    cell.cut()
    core.close()
  }

  /// The object, or `nil`.
  ///
  /// An object whose lifetime has ended cannot be set: the property is `nil` at once.
  ///
  /// - Complexity: O(1), one lock; setting is O(*n*) in the number of observers.
  public var wrappedValue: Referent? {
    get { core.value.object }
    set {
      let referent = WeakReferent(newValue)
      core.set(referent)
      if let newValue { referent.clear(cell, at: newValue.lifetime) }
      // So far, so that comparing cannot be the last to release it.
      withExtendedLifetime(newValue) {}
    }
  }

  /// The property itself, to be observed.
  public var projectedValue: WeakObserved<Referent> { self }

  /// How many changes have been merged with a neighbour, as with ``SharedObserved/mergedCount``.
  ///
  /// - Complexity: O(1).
  public var mergedCount: Int { core.mergedCount }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The object they belong to.
  /// - Complexity: O(*n*) in the number of observers.
  public func unobserve<Owner: AnyObject>(owner: Owner) {
    core.endAll { $0.belongs(to: owner, as: nil) }
  }
}

extension WeakObserved {
  private typealias Request = SharedCore<WeakReferent<Referent>>.Request

  /// Calls a handler for every change, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: What is wanted besides the changes, as with ``SharedObserved``.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with each change, where it was written.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  public func observe(
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Change<Referent?>) -> Void
  ) -> Token {
    let request = Request(options: options, fileID: fileID, line: line)
    return core.observe(request, { $0.map(\.object) }, handler)
  }

  /// Calls a handler for every change, for as long as its owner lives.
  ///
  /// The owner is held weakly and passed to the handler. A ``LifetimeOwner`` ends the registration the
  /// moment its lifetime ends; those of other owners are swept.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares.
  ///   - id: A name: another registration of this owner with an equal one replaces this one.
  ///   - options: What is wanted besides the changes.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with the owner and each change, where it was written.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Referent?>) -> Void
  ) -> Token {
    let request = Request(
      options: options,
      fileID: fileID,
      line: line,
      id: id
    )
    return core.observe(request, owner: owner, { $0.map(\.object) }, handler)
  }

  /// Calls a handler on an actor for every change, for as long as the actor lives.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - id: A name: another registration of this owner with an equal one replaces this one.
  ///   - options: What is wanted besides the changes.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called on the actor with each change.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Change<Referent?>) -> Void
  ) -> Token {
    let request = Request(
      options: options,
      fileID: fileID,
      line: line,
      id: id
    )
    return core.observe(request, isolatedOwner: owner, { $0.map(\.object) }, handler)
  }
}

/// What a weak property holds: an object it does not keep, and the hook that tells of the object's end.
///
/// It is compared by identity, under a lock. The object is loaded there only where a setter, which holds the
/// new object, compares two of one identity: then it is that object, or a dead one whose memory it has.
struct WeakReferent<Referent: LifetimeOwner & Sendable>: Sendable {
  /// The object, while it lives; loaded outside locks only.
  weak let object: Referent?
  /// Which object it is.
  let identity: ObjectIdentifier?
  /// Goes with the last copy of this value.
  fileprivate let hook: WeakReferentHook?

  init(_ object: Referent?) {
    self.object = object
    identity = object.map { ObjectIdentifier($0) }
    hook = object == nil ? nil : WeakReferentHook()
  }

  /// Whether two refer to the same object, or both to none.
  ///
  /// A copy of a value refers to what the value refers to; its object, which the caller may not hold, is not
  /// loaded, so that it cannot be released under the lock.
  static func areSame(_ old: WeakReferent, _ new: WeakReferent) -> Bool {
    if old.hook === new.hook { return true }
    return old.identity == new.identity && old.object != nil
  }

  /// Clears a property when the object's lifetime ends, unless the property has left the object before.
  func clear(_ cell: WeakReferentCell<Referent>, at lifetime: Lifetime) {
    guard let hook else { return }
    hook.hold(
      lifetime.onEnd { [weak hook] in
        if let hook { cell.clear(hook) }
      }
    )
  }
}

/// Keeps a hook on a lifetime until nobody needs it any more.
final class WeakReferentHook: Sendable {
  private struct State {
    var token: Token?
  }

  private let state = Locked(State())

  init() {}

  deinit { state.withLock { $0.token.take() }?.cancel() }

  /// Holds the hook.
  func hold(_ token: Token) { state.withLock { $0.token = token } }
}

/// The way from an object's lifetime to the weak property that refers to it, cut when the property dies.
final class WeakReferentCell<Referent: LifetimeOwner & Sendable>: Sendable {
  private struct State {
    var core: SharedCore<WeakReferent<Referent>>?
  }

  private let state: Locked<State>

  init(_ core: SharedCore<WeakReferent<Referent>>) { state = Locked(State(core: core)) }

  /// Clears the property if it still refers to an object.
  func clear(_ hook: WeakReferentHook) {
    let core = state.withLock { $0.core }
    var former: WeakReferent<Referent>?
    core?.update { value in
      guard value.hook === hook else { return }
      // Let go outside the lock: the hook goes with it.
      former = value
      value = WeakReferent(nil)
    }
    withExtendedLifetime(former) {}
  }

  /// Leads nowhere any more.
  func cut() {
    let core = state.withLock { $0.core.take() }
    withExtendedLifetime(core) {}
  }
}
