/// The events that wait in a bridge and its consumers at a moment: numbers that rise and fall.
///
/// The numbers of ``BridgeCounts`` only grow.
public struct BridgeLevels: Sendable, Equatable {
  /// The events that have not reached the server: live ones that are not sent, and durable ones and dead letters that
  /// are not stored.
  public internal(set) var waitingEvents = 0
  /// The bytes of the payloads of these events.
  ///
  /// A payload counts from its encoding on, soon after the post.
  public internal(set) var waitingBytes = 0
  /// How far each durable consumer of this process is behind, by the name of its event: the events that were stored for
  /// it, but not delivered yet, at its last delivery, and those that it has not answered.
  ///
  /// A consumer without a delivery so far has zero. With a shared consumer, each process sees what is left for all.
  public internal(set) var lag: [String: Int] = [:]

  init() {}
}
