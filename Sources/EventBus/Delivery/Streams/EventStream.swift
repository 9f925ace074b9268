/// The occurrences of an event as an asynchronous sequence.
///
/// ```swift
/// let didTick = Signal<Int>()
/// let ticks = didTick.events()
/// didTick.send(1)
/// for await tick in ticks.prefix(1) { print(tick) }
/// ```
///
/// A stream is live from the call that created it, not from the first iteration; each such call creates a
/// separate subscription. The stream ends when the bus is released or its lifetime ends, after the elements
/// that are buffered by then. In a cancelled task it ends immediately. Releasing the stream and its
/// iterators unsubscribes.
///
/// ## Thread safety
///
/// Tasks may share a stream: each element goes to one of them, in the order of their requests.
public final class EventStream<Payload: Sendable>: AsyncSequence, Sendable {
  /// An iterator over the elements of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline
    let stream: EventStream

    @inlinable
    init(stream: EventStream) { self.stream = stream }

    /// Returns the next payload, or `nil` when the stream has ended or the task is cancelled.
    @inlinable
    public mutating func next() async -> Payload? { await stream.buffer.next() }

    /// Returns the next payload.
    ///
    /// - Parameter actor: The caller's isolation.
    /// - Returns: The payload, or `nil` when the stream has ended or the task is cancelled.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Payload? {
      // The iterator keeps the stream.
      let taken = ObjectAddress.borrow(ObjectAddress.of(stream)) { (stream: EventStream) in
        stream.buffer.takeUnlessCancelled()
      }
      return switch taken {
      case .element(let element, _): element
      case .end: nil
      case .nothing, nil: await stream.buffer.wait(isolation: actor)
      }
    }
  }

  /// The payload of the event.
  public typealias Element = Payload
  /// The error type: a stream never fails.
  public typealias Failure = Never

  /// The elements that wait for the reader.
  @usableFromInline
  package let buffer: StreamBuffer<Payload>
  private let token: Token

  init(_ buffer: StreamBuffer<Payload>, _ token: Token) {
    self.buffer = buffer
    self.token = token
  }

  deinit {
    token.cancel()
    // A property may release its handler, which retains the buffer, only when it is next used.
    let unread = buffer.state.withLock { $0.elements.removeAll() }
    withExtendedLifetime(unread) {}
  }

  /// The number of payloads that the buffering policy has discarded.
  ///
  /// - Complexity: O(1).
  public var droppedCount: Int { buffer.dropped }

  /// The number of payloads in the buffer: those that a single consumer receives without waiting.
  ///
  /// - Complexity: O(1).
  public var waitingCount: Int { buffer.waitingCount }

  /// True if a consumer waits for a payload.
  package var isAwaited: Bool { buffer.isAwaited }

  /// Creates an iterator over the elements of the stream.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
}

@available(*, unavailable)
extension EventStream.Iterator: Sendable {}
