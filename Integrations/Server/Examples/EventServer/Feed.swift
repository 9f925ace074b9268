import EventBus
import Metrics
import NIOCore
import ServiceLifecycle

/// Passes the events of a bus on to many streams, in one order.
///
/// An event is encoded once and sent as a signal, of which each stream of a client is an `EventStream`. The queue
/// of a stream is bounded: the oldest events are dropped and counted, so that a slow reader costs a bounded amount
/// of memory and delays no other reader.
///
/// ## Thread safety
///
/// An actor, so that concurrent events have one order for all streams.
actor Feed {
  /// An event, encoded.
  struct Frame: Sendable {
    let name: String
    let text: ByteBuffer
  }

  private let frames = Signal<Frame>()
  private let limit: Int
  private let drops = Counter(label: "server.stream.drops")
  private let open = Meter(label: "server.streams")
  private let writes = Counter(label: "server.stream.writes")
  private var lastEvent = 0

  /// Creates a feed.
  ///
  /// - Parameter limit: The number of events that may wait for one stream.
  init(limit: Int) { self.limit = limit }

  /// Sends an event to all streams that want it.
  func send(_ name: String, _ json: some Collection<UInt8>) {
    lastEvent += 1
    var text = ByteBuffer()
    text.writeString("id: \(lastEvent)\nevent: \(name)\ndata: ")
    text.writeBytes(json)
    text.writeString("\n\n")
    frames.send(Frame(name: name, text: text))
  }

  /// Opens a stream, which receives the events that are sent from now on.
  ///
  /// - Parameters:
  ///   - name: The name of the wanted event; `nil` means all.
  ///   - lifetime: Ends the stream after the waiting events.
  /// - Returns: The stream.
  nonisolated func stream(_ name: String?, until lifetime: Lifetime) -> EventStream<Frame> {
    frames.events(
      where: { name == nil || $0.name == name },
      buffering: .bufferingNewest(limit),
      until: lifetime
    )
  }

  /// Writes the events of a new stream until its lifetime ends; events that wait together in one write.
  ///
  /// A graceful shutdown ends the lifetime.
  ///
  /// - Parameters:
  ///   - name: The name of the wanted event; `nil` means all.
  ///   - lifetime: Ends the stream after the waiting events.
  ///   - write: Writes to the client, and returns when the client can take more.
  /// - Throws: The error of a write, for example because the client has disconnected.
  @concurrent
  nonisolated func run(
    _ name: String?,
    until lifetime: Lifetime,
    _ write: @concurrent (ByteBuffer) async throws -> Void
  ) async throws {
    let stream = stream(name, until: lifetime)
    open.increment()
    defer { open.decrement() }
    try await withGracefulShutdownHandler {
      // The head of the response, and a sign that the stream listens.
      try await write(ByteBuffer(string: ": listening\n\n"))
      var dropped = 0
      var iterator = stream.makeAsyncIterator()
      while let frame = await iterator.next() {
        var texts = [frame.text]
        // Without waiting: no other task takes from this stream.
        while stream.waitingCount > 0, let next = await iterator.next() {
          texts.append(next.text)
        }
        var buffer = ByteBuffer()
        let new = stream.droppedCount - dropped
        if new > 0 {
          drops.increment(by: new)
          dropped += new
          buffer.writeString("event: dropped\ndata: \(new)\n\n")
        }
        for text in texts { buffer.writeImmutableBuffer(text) }
        writes.increment()
        try await write(buffer)
      }
    } onGracefulShutdown: {
      lifetime.end()
    }
  }
}
