/// An action that a token runs when it ends.
package final class CancelAction: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private struct State {
    var action: (@Sendable () -> Void)?
  }

  private let state: Locked<State>

  /// Creates a target that runs an action once.
  package init(_ action: @escaping @Sendable () -> Void) {
    state = Locked(State(action: action))
  }

  override package func end(_ handle: UInt) {
    let action = state.withLock { $0.action.take() }
    action?()
  }
}
