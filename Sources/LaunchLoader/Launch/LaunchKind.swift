/// How a worker may be called; all that the order of a launch needs to know of it.
package enum LaunchKind: Hashable, Sendable {
  /// Synchronous, of no actor: called directly, on the launching thread.
  case inline
  /// Synchronous, of an actor: called there. The closure keeps the actor alive.
  case isolated(on: ObjectIdentifier)
  /// Asynchronous: started in a task, and not awaited before the next one starts.
  case asynchronous

  /// Whether code that cannot wait may call it.
  ///
  /// - Parameter actor: The actor that the code runs on, as far as it is known.
  /// - Returns: Whether a plain call is right.
  package func isCallable(on actor: ObjectIdentifier?) -> Bool {
    switch self {
    case .inline: true
    case .isolated(let home): home == actor
    case .asynchronous: false
    }
  }
}
