/// Where the handler of a timer runs.
package enum TimerPlace: Sendable {
  /// On the threads of the concurrency runtime.
  case anywhere
  /// On an actor.
  case on(any Actor)
  /// Nowhere: the actor has died.
  case lost
}
