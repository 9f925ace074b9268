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

  /// A stream, and how many of its dropped events have been counted.
  private struct Reader {
    let stream: EventStream<Frame>
    var countedDrops = 0
  }

  private let frames = Signal<Frame>()
  private let limit: Int
  private let drops: Counter
  private let open: Meter
  private let writes: Counter
  private var lastEvent = 0
  private var readers: [Int: Reader] = [:]
  private var lastReader = 0

  /// Creates a feed.
  ///
  /// - Parameters:
  ///   - limit: The number of events that may wait for one stream.
  ///   - factory: The factory of its metrics.
  init(limit: Int, factory: any MetricsFactory = MetricsSystem.factory) {
    self.limit = limit
    drops = Counter(label: "server.stream.drops", factory: factory)
    open = Meter(label: "server.streams", factory: factory)
    writes = Counter(label: "server.stream.writes", factory: factory)
  }

  /// Sends an event to all streams that want it.
  func send(_ name: String, _ json: some Collection<UInt8>) {
    lastEvent += 1
    var text = ByteBuffer()
    text.writeString("id: \(lastEvent)\nevent: \(name)\ndata: ")
    text.writeBytes(json)
    text.writeString("\n\n")
    frames.send(Frame(name: name, text: text))
    // Now, and not when a reader takes the next event, which one that is blocked may never do.
    for reader in readers.keys { countDrops(of: reader) }
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
    let reader = await add(stream)
    do {
      try await pass(stream, until: lifetime, on: write)
    } catch {
      await remove(reader)
      throw error
    }
    await remove(reader)
  }

  /// Writes the events of a stream until its lifetime ends.
  @concurrent
  private nonisolated func pass(
    _ stream: EventStream<Frame>,
    until lifetime: Lifetime,
    on write: @concurrent (ByteBuffer) async throws -> Void
  ) async throws {
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

  /// Counts a stream as open, and its dropped events from now on.
  private func add(_ stream: EventStream<Frame>) -> Int {
    lastReader += 1
    readers[lastReader] = Reader(stream: stream)
    open.increment()
    return lastReader
  }

  private func remove(_ reader: Int) {
    countDrops(of: reader)
    readers[reader] = nil
    open.decrement()
  }

  private func countDrops(of reader: Int) {
    guard let (stream, counted) = readers[reader].map({ ($0.stream, $0.countedDrops) }),
      case let count = stream.droppedCount, count > counted
    else { return }
    drops.increment(by: count - counted)
    readers[reader]?.countedDrops = count
  }
}
