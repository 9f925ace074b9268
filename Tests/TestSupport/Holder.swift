internal import EventBus

/// Holds the one strong reference to something until any thread releases it.
public final class Holder<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
  }

  private let state: Locked<State>

  /// Holds a value.
  public init(_ value: Value? = nil) { state = Locked(State(value: value)) }

  /// The current object.
  public var value: Value? { state.withLock { $0.value } }

  /// Holds another value and releases the former one.
  public func hold(_ value: Value?) {
    let former = state.withLock { state in
      defer { state.value = value }
      return state.value
    }
    withExtendedLifetime(former) {}
  }

  /// Releases the value, on the calling thread and with no lock held.
  public func letGo() { hold(nil) }
}
