extension EventBridge {
  /// The limits and times of a bridge.
  public struct Configuration: Sendable {
    /// The first part of all subjects, not empty: processes with the same prefix exchange events.
    public var prefix = "events"
    /// The largest number of live events of one name that wait to be sent, and to be handled; the oldest drop.
    public var bufferLimit = 10_000
    /// The largest sum of the bytes of payloads of one name in each buffer; 64 MB by default.
    ///
    /// There is a buffer for live events in each direction, whose oldest events drop; one for durable events
    /// that the server has not stored, which refuses further ones; and one for durable events that wait for
    /// their handlers, which returns further ones to the server for later. One event fits, whatever its size.
    /// Payloads count from the moment in which they are encoded, on a queue of the bridge.
    public var byteLimit = 64 << 20
    /// The largest number of durable events of one name that wait for the server in memory; further ones are refused.
    public var durableLimit = 100_000
    /// The largest number of durable events of one name that wait for acknowledgements of the server at once.
    public var unansweredLimit = 1024
    /// The time after which an event without an acknowledgement of the server is sent again.
    public var answerTimeout = Duration.seconds(5)
    /// The largest number of unhandled durable events of one name that the server delivers to this node.
    public var handlingLimit = 256
    /// The time without a sign of life after which the server delivers an event to another member, or again.
    public var handlingTimeout = Duration.seconds(10)
    /// The number of attempts to handle a durable event, and the pauses between them.
    public var retry = EventBridge.RetryPolicy()
    /// The time between heartbeats; at most a minute, as other nodes wait no longer.
    public var heartbeat = Duration.seconds(2)
    /// The number of servers that store a new stream.
    public var replicas = 1
    /// The limits of a new stream; none by default.
    public var streamLimits = StreamLimits()
    /// The number of waiting events above which producers are expected to pause: `waitingDidFall` is posted when it
    /// has fallen to half of this.
    public var waitingMark = 1000
    /// The fields that travel with events besides their payloads, such as the context of a trace.
    public var propagation: EventPropagation?
    /// Called with each report, on a queue of the bridge.
    ///
    /// By default, a report is a line on standard error, for each event and reason the first one and those at which
    /// the number has doubled. Events that come late or are handled again have none. Pass `{ _ in }` for no lines.
    public var onReport: (@Sendable (BridgeReport) -> Void)?

    /// Creates a configuration with the default values.
    public init() {}

    /// The longest wait for the server during the preparation of a stream or a consumer.
    var requestTimeout: Duration { max(.seconds(1), answerTimeout) }

    /// The time between two looks whether the streams and consumers still exist.
    var lookInterval: Duration { min(.seconds(30), requestTimeout * 4) }

    /// The effective time between heartbeats.
    var beat: Duration { min(NodeTable.longestInterval, heartbeat) }

    /// The interval at which timers are checked.
    var tick: Duration {
      let shortest = min(heartbeat, answerTimeout, handlingTimeout) / 8
      return min(.milliseconds(250), max(.milliseconds(5), shortest))
    }
  }
}
