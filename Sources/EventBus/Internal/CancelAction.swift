/// An action that a token runs when it ends.
package final class CancelAction: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private struct State {
    var action: (@Sendable () -> Void)?
  }

  private let state: Locked<State>
  private let fence: (@Sendable () async -> Void)?

  /// Creates a target that runs an action once.
  ///
  /// - Parameters:
  ///   - fence: Waits, after the action, until no call is running.
  ///   - action: Ends the registration.
  package init(
    fence: (@Sendable () async -> Void)? = nil,
    _ action: @escaping @Sendable () -> Void
  ) {
    self.fence = fence
    state = Locked(State(action: action))
  }

  override package func end(_ handle: UInt) {
    let action = state.withLock { $0.action.take() }
    action?()
  }

  override package func waitUntilFinished(_ handle: UInt) async { await fence?() }
}
