/// What the rule knows of one service that has not ended.
internal struct ServiceRecord<Handle: Sendable>: Sendable {
  /// How far a service has come.
  internal enum Phase: Sendable {
    /// It waits for others, or for its turn.
    case waiting
    /// Its `run` has been, or is being, entered.
    case running
    /// It was told to stop.
    case stopping
    /// It was told to stop and cancelled.
    case cancelled
  }

  /// What the shell knows it by.
  internal let handle: Handle
  /// Its name.
  internal let name: String
  /// How it gets on with the others.
  internal let options: ServiceOptions
  /// How far it has come.
  internal var phase = Phase.waiting
  /// Its layer: those of higher layers are stopped before it.
  internal var layer = 0
  /// How many services it waits for.
  internal var blockers = 0
  /// Those that wait for it.
  internal var dependants: [Int] = []
  /// Whether its `run` was entered and has suspended or returned.
  internal var hasStarted = false
  /// Whether it said that it is ready.
  internal var isReady = false
  /// Whether those that wait for it have been told.
  internal var isSatisfied = false
  /// Whether the layer that is being stopped waits for it.
  internal var holdsLayer = false

  /// Whether those that wait for it may start.
  internal var satisfies: Bool { hasStarted && (isReady || !options.waitsForReady) }

  /// Whether its end now would be a start that failed.
  internal var failsToStart: Bool { options.waitsForReady && !isReady && phase == .running }
}
