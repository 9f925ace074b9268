/// The limits of a stream that a bridge makes; one that exists keeps its own.
///
/// ```swift
/// import EventBusNATS
///
/// var configuration = EventBridge.Configuration()
/// configuration.streamLimits = StreamLimits(age: .seconds(7 * 86_400), size: 10 << 30)
/// ```
public struct StreamLimits: Sendable, Equatable {
  /// The events that give way when a stream is full.
  public enum Discarded: Sendable {
    /// The oldest: the server stores the new one. A consumer that has not received them misses them.
    case oldest
    /// The new ones: the server refuses them until there is room, and they wait in the bridge.
    case newest
  }

  /// The time after which the server deletes an event, handled or not; `nil` means never.
  ///
  /// The server accepts at least a tenth of a second. A repeated event is recognized within two minutes, or within this
  /// time if it is shorter.
  public var age: Duration?
  /// The largest number of bytes of a stream, dead letters included; `nil` means none but the room of the server.
  public var size: Int?
  /// The events that give way when a stream has reached ``size``.
  public var discards: Discarded

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - age: The time after which the server deletes an event.
  ///   - size: The largest number of bytes of a stream.
  ///   - discards: The events that give way when a stream is full.
  public init(age: Duration? = nil, size: Int? = nil, discards: Discarded = .oldest) {
    (self.age, self.size, self.discards) = (age, size, discards)
  }

  /// Whether each limit is positive.
  var arePositive: Bool { age ?? .seconds(1) > .zero && size ?? 1 > 0 }
}
