/// A way to a list that does not keep it, for those who may have to find it some day.
///
/// A weak reference to the list itself would give it a side table and make every later retain and release
/// of it several times dearer; this object has the side table instead.
package final class ListProxy: Sendable {
  private struct State {
    /// The list's address until it dies.
    var address: UInt = 0
  }

  private let state = Locked(State())

  /// Creates a proxy that leads nowhere yet.
  package init() {}

  /// Leads to a list from now on.
  package func connect(_ list: ObserverList) {
    let address = ObjectAddress.of(list)
    state.withLock { $0.address = address }
  }

  /// Leads nowhere any more: the list is being destroyed.
  package func disconnect() { state.withLock { $0.address = 0 } }

  /// Calls a closure with the list, if it lives, under the lock that keeps it from dying meanwhile.
  ///
  /// - Parameter body: Looks at atomic state of the list or changes it, and nothing else.
  /// - Returns: What the closure returns.
  package func with<Result: Sendable>(_ body: (ObserverList) -> Result) -> Result? {
    state.withLock { state in ObjectAddress.borrow(state.address, body) }
  }
}
