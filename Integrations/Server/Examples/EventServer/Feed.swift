import EventBus
import Metrics
import NIOCore
import ServiceLifecycle
import Synchronization

/// Passes the events of a bus on to many streams, in one order.
///
/// An event is encoded once. What waits for a stream is bounded: the oldest events are dropped and counted, so
/// that a slow reader costs a bounded amount of memory and delays no other reader.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tasks are resumed outside the lock.
final class Feed: Sendable {
  /// What waits for a stream.
  struct Batch: Sendable {
    /// The events, encoded one after the other.
    var events: [ByteBuffer]
    /// The number of events that were dropped before them.
    var dropped: Int
  }

  /// A stream, used under the lock only; an object, so that nothing is copied when an event is added.
  private final class Stream {
    let name: String?
    var waiting: [ByteBuffer] = []
    /// The position of the oldest event, in front of which the array has free slots.
    var head = 0
    var dropped = 0
    var hasEnded = false
    var reader: CheckedContinuation<Void, Never>?

    init(name: String?) { self.name = name }

    var count: Int { waiting.count - head }

    /// Adds an event; returns whether the oldest was dropped for it.
    func add(_ event: ByteBuffer, limit: Int) -> Bool {
      waiting.append(event)
      if count <= limit { return false }
      waiting[head] = ByteBuffer()
      head += 1
      dropped += 1
      if head > limit {
        waiting.removeFirst(head)
        head = 0
      }
      return true
    }

    /// Takes what waits; `nil` means that there is nothing yet.
    func take() -> Batch? {
      if count == 0 && dropped == 0 { return nil }
      defer { (waiting, head, dropped) = ([], 0, 0) }
      return Batch(events: Array(waiting[head...]), dropped: dropped)
    }
  }

  private struct State {
    var nextStream = 0
    var nextEvent = 1
    var streams: [Int: Stream] = [:]
  }

  private let limit: Int
  private let drops = Counter(label: "server.stream.drops")
  private let open = Meter(label: "server.streams")
  private let writes = Counter(label: "server.stream.writes")
  private let state = Mutex(State())

  /// Creates a feed.
  ///
  /// - Parameter limit: The number of events that may wait for one stream.
  init(limit: Int) { self.limit = limit }

  /// Sends an event to all streams that want it.
  func send(_ name: String, _ json: some Collection<UInt8>) {
    let (dropped, readers) = state.withLock { state in
      var event = ByteBuffer()
      event.writeString("id: \(state.nextEvent)\nevent: \(name)\ndata: ")
      event.writeBytes(json)
      event.writeString("\n\n")
      state.nextEvent += 1
      var dropped = 0
      var readers: [CheckedContinuation<Void, Never>] = []
      for stream in state.streams.values where stream.name == nil || stream.name == name {
        if stream.add(event, limit: limit) { dropped += 1 }
        if let reader = stream.reader.take() { readers.append(reader) }
      }
      return (dropped, readers)
    }
    if dropped > 0 { drops.increment(by: dropped) }
    // A reader takes what waits when it runs, which may be more than this event.
    for reader in readers { reader.resume() }
  }

  /// Writes the events of a stream until it is ended, what waits at a time in one write.
  ///
  /// A graceful shutdown ends the stream after what waits.
  ///
  /// - Parameters:
  ///   - id: The stream.
  ///   - write: Writes to the client, and returns when the client can take more.
  /// - Throws: The error of a write, for example because the client has gone.
  @concurrent
  func run(_ id: Int, _ write: @concurrent (ByteBuffer) async throws -> Void) async throws {
    try await withGracefulShutdownHandler {
      // The head of the response, and a sign that the stream listens.
      try await write(ByteBuffer(string: ": listening\n\n"))
      while let batch = await next(id) {
        var buffer = ByteBuffer()
        if batch.dropped > 0 { buffer.writeString("event: dropped\ndata: \(batch.dropped)\n\n") }
        for event in batch.events { buffer.writeImmutableBuffer(event) }
        writes.increment()
        try await write(buffer)
      }
    } onGracefulShutdown: {
      self.end(id)
    }
  }

  /// Opens a stream.
  ///
  /// - Parameter name: The name of the wanted event; `nil` means all.
  /// - Returns: The stream, to be closed with ``close(_:)``.
  func begin(_ name: String?) -> Int {
    let id = state.withLock { state in
      state.nextStream += 1
      state.streams[state.nextStream] = Stream(name: name)
      return state.nextStream
    }
    open.increment()
    return id
  }

  /// Waits until something waits for a stream, and takes it; `nil` after the end.
  private func next(_ id: Int) async -> Batch? {
    while true {
      let (batch, hasEnded) = state.withLock { state in
        let stream = state.streams[id]
        return (stream?.take(), stream?.hasEnded ?? true)
      }
      if batch != nil || hasEnded { return batch }
      await withTaskCancellationHandler {
        await withCheckedContinuation { reader in
          let mustWait = state.withLock { state in
            guard let stream = state.streams[id] else { return false }
            if stream.hasEnded || stream.count > 0 { return false }
            stream.reader = reader
            return true
          }
          if !mustWait { reader.resume() }
        }
      } onCancel: {
        end(id)
      }
    }
  }

  /// Ends a stream after what waits.
  func end(_ id: Int) {
    let reader = state.withLock { state in
      let stream = state.streams[id]
      stream?.hasEnded = true
      return stream?.reader.take()
    }
    reader?.resume()
  }

  /// Closes a stream, and releases what waits.
  func close(_ id: Int) {
    let stream = state.withLock { $0.streams.removeValue(forKey: id) }
    if stream != nil { open.decrement() }
  }
}
