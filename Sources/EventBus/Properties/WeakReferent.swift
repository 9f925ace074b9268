/// What a weak property holds: an object it does not keep, and the hook that tells of the object's end.
///
/// It is compared by identity, under a lock. The object is loaded there only where a setter, which holds the
/// new object, compares two of one identity: then it is that object, or a dead one whose memory it has.
internal struct WeakReferent<Referent: LifetimeOwner & Sendable>: Sendable {
  /// The object, while it lives; loaded outside locks only.
  internal weak let object: Referent?
  /// Which object it is.
  internal let identity: ObjectIdentifier?
  /// Goes with the last copy of this value.
  fileprivate let hook: WeakReferentHook?

  internal init(_ object: Referent?) {
    self.object = object
    identity = object.map { ObjectIdentifier($0) }
    hook = object == nil ? nil : WeakReferentHook()
  }

  /// Whether two refer to the same object, or both to none.
  ///
  /// A copy of a value refers to what the value refers to; its object, which the caller may not hold, is not
  /// loaded, so that it cannot be released under the lock.
  internal static func areSame(_ old: WeakReferent, _ new: WeakReferent) -> Bool {
    if old.hook === new.hook { return true }
    return old.identity == new.identity && old.object != nil
  }

  /// Clears a property when the object's lifetime ends, unless the property has left the object before.
  internal func clear(_ cell: WeakReferentCell<Referent>, at lifetime: Lifetime) {
    guard let hook else { return }
    hook.hold(
      lifetime.onEnd { [weak hook] in
        if let hook { cell.clear(hook) }
      }
    )
  }
}

/// Keeps a hook on a lifetime until nobody needs it any more.
internal final class WeakReferentHook: Sendable {
  private struct State {
    var token: Token?
  }

  private let state = Locked(State())

  internal init() {}

  deinit { state.withLock { $0.token.take() }?.cancel() }

  /// Holds the hook.
  internal func hold(_ token: Token) { state.withLock { $0.token = token } }
}

/// The way from an object's lifetime to the weak property that refers to it, cut when the property dies.
internal final class WeakReferentCell<Referent: LifetimeOwner & Sendable>: Sendable {
  private struct State {
    var core: SharedCore<WeakReferent<Referent>>?
  }

  private let state: Locked<State>

  internal init(_ core: SharedCore<WeakReferent<Referent>>) { state = Locked(State(core: core)) }

  /// Clears the property if it still refers to an object.
  internal func clear(_ hook: WeakReferentHook) {
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
  internal func cut() {
    let core = state.withLock { $0.core.take() }
    withExtendedLifetime(core) {}
  }
}
