private import _EventBusLocks

/// The bridges of the process, by their incarnations.
enum LocalBridges {
  private struct State {
    var cores: [UInt64: Weak<BridgeCore>] = [:]
  }

  private static let state = Locked(State())

  static func add(_ core: BridgeCore) {
    state.withLock { $0.cores[core.incarnation] = Weak(core) }
  }

  static func remove(_ incarnation: UInt64) {
    _ = state.withLock { $0.cores.removeValue(forKey: incarnation) }
  }

  static func core(_ incarnation: UInt64) -> BridgeCore? {
    state.withLock { $0.cores[incarnation] }?.object
  }
}

/// An object that is not retained.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
  init(_ object: Object) { self.object = object }
}

/// An object that is made after its owner.
final class LazyReference<Object: AnyObject & Sendable>: Sendable {
  private let stored = Locked<Object?>(nil)
  var object: Object? { stored.withLock { $0 } }
  func set(_ object: Object) { stored.withLock { $0 = object } }
}
