extension EventBridge {
  /// The server's answer about a durable event that it has stored.
  public struct Receipt: Sendable, Equatable {
    /// The stream that stores the event.
    public let stream: String
    /// The number of the event in the stream.
    public let sequence: UInt64
    /// Whether the event was stored before, and sent again as its acknowledgement was missing.
    public let isDuplicate: Bool
  }
}
