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

/// The bridges of one bus, by their incarnations; the last answer is remembered, as most events in a row have one sender.
final class LocalSenders: Sendable {
  private struct Answer {
    /// Zero is the incarnation of no bridge.
    var incarnation: UInt64 = 0
    var isLocal = false
  }

  private let bus: ObjectIdentifier
  private let last = Locked(Answer())

  init(_ bus: ObjectIdentifier) { self.bus = bus }

  /// Returns whether a bridge of the bus has sent an event, which was posted there.
  func contains(_ incarnation: UInt64) -> Bool {
    let known = last.withLock { $0 }
    if known.incarnation == incarnation { return known.isLocal }
    let isLocal = LocalBridges.bridge(incarnation)?.bus == bus
    last.withLock { $0 = Answer(incarnation: incarnation, isLocal: isLocal) }
    return isLocal
  }

  /// The post of an event on the bus, if it was posted there.
  func post(_ header: WireHeader, _ event: String) -> LocalPost? {
    guard contains(header.incarnation) else { return nil }
    return LocalBridges.bridge(header.incarnation)?.posts.post(event, header.sequence)
  }
}
