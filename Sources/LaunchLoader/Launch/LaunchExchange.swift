/// A closure that takes the values of other work, makes a value, or does both.
///
/// The closures are those of a registration without their types and without their isolation, which is
/// stored beside them.
package struct LaunchExchange: Sendable {
  /// An asynchronous closure, which begins on the actor of its caller and hops to its own.
  typealias Asynchronous =
    nonisolated(nonsending) @Sendable (LaunchOptions, LaunchValues) async throws -> LaunchValue?

  /// The closure, which returns the value that it makes.
  enum Body: Sendable {
    /// Called directly, by code that runs in its isolation.
    case synchronous(@Sendable (LaunchOptions, LaunchValues) throws -> LaunchValue?)
    /// Awaited; it runs in its isolation.
    case asynchronous(Asynchronous)
  }

  /// The actor in whose isolation the closure was written; `nil` if there is none.
  let isolation: (any Actor)?
  /// The closure.
  let body: Body

  /// A Boolean value that indicates whether the closure is asynchronous.
  var isAsynchronous: Bool {
    if case .asynchronous = body { true } else { false }
  }
}

/// A closure that undoes work by the value that the work made.
package struct LaunchUndo: Sendable {
  let call: @Sendable (LaunchValue) async -> Void

  /// Stores a closure without the type of the value.
  init<Value: Sendable>(_ undo: @escaping @Sendable (Value) async -> Void) {
    call = { value in
      guard let box = value as? LaunchBox<Value> else { return }
      await undo(box.value)
    }
  }
}
