public import EventBus
private import _EventBusLocks

extension EventNames {
  /// A node sent its first heartbeat, or the first one after an absence.
  public static let nodeDidJoin = EventName<EventBridge.Node>("node.didJoin")
  /// A node announced its end, or sent no heartbeat for three intervals.
  public static let nodeDidLeave = EventName<EventBridge.Node>("node.didLeave")
}

extension EventBridge {
  /// Another process, as the sender of the events that came from it.
  ///
  /// A bridge has one object for each name, so that it can be used as the `from:` of an observer.
  ///
  /// ## Thread safety
  ///
  /// Every member may be used on any thread.
  public final class Node: Sendable, LifetimeOwner, CustomStringConvertible {
    private struct State {
      var lifetime = Lifetime()
      var isPresent = false
    }

    /// The name of the node.
    public let name: String
    private let state = Locked(State())

    init(_ name: String) { self.name = name }

    /// The lifetime of the process, which ends when it leaves or sends no heartbeat in time.
    ///
    /// The lifetime of a node that has not joined yet is that of its next process. After an end, it is the ended one
    /// until a process of the name joins again. It also ends when the connection is closed for good. A bridge that
    /// has drained does not notice any end.
    public var lifetime: Lifetime { state.withLock { $0.lifetime } }

    /// Whether the node has joined, and has not left.
    public var isPresent: Bool { state.withLock { $0.isPresent } }

    /// The name of the node, with line breaks and other control characters escaped.
    public var description: String { name.onOneLine }

    func join() {
      state.withLock { state in
        if state.lifetime.hasEnded { state.lifetime = Lifetime() }
        state.isPresent = true
      }
    }

    func leave() {
      let lifetime = state.withLock { state in
        state.isPresent = false
        return state.lifetime
      }
      lifetime.end()
    }
  }
}
