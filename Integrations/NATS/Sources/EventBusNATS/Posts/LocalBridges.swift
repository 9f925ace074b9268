private import _EventBusLocks

/// A bridge of this process.
struct LocalBridge: Sendable {
  /// The bus, which the bridge keeps.
  let bus: ObjectIdentifier
  let posts: LocalPosts
}

/// The bridges of the process, by their incarnations.
enum LocalBridges {
  private struct State {
    var bridges: [UInt64: LocalBridge] = [:]
  }

  private static let state = Locked(State())

  static func add(_ incarnation: UInt64, _ bridge: LocalBridge) {
    state.withLock { $0.bridges[incarnation] = bridge }
  }

  static func remove(_ incarnation: UInt64) {
    let removed = state.withLock { $0.bridges.removeValue(forKey: incarnation) }
    withExtendedLifetime(removed) {}
  }

  static func bridge(_ incarnation: UInt64) -> LocalBridge? {
    state.withLock { $0.bridges[incarnation] }
  }
}
