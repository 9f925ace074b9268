/// The occurrences of an event as an asynchronous sequence.
///
/// ```swift
/// for await user in bus.events(.userDidLogIn) { print(user) }
/// ```
///
/// A stream is live from the call that made it, not from the first iteration; every such call is a
/// subscription of its own. It ends when the bus dies or the lifetime it was given ends, after what was
/// buffered by then; for a task that is cancelled it ends at once. Dropping the stream and its iterators
/// unsubscribes.
///
/// ## Thread safety
///
/// May be shared by tasks: each element goes to one of them, in the order they asked.
public final class EventStream<Payload: Sendable>: AsyncSequence, Sendable {
  /// Takes the elements of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline
    internal let stream: EventStream

    @inlinable
    internal init(stream: EventStream) { self.stream = stream }

    /// The next payload, or `nil` when the stream has ended or the task was cancelled.
    @inlinable
    public mutating func next() async -> Payload? { await stream.buffer.next() }

    /// The next payload, or `nil` when the stream has ended or the task was cancelled.
    ///
    /// - Parameter actor: The caller's isolation.
    /// - Returns: The payload.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Payload? {
      await stream.buffer.next(isolation: actor)
    }
  }

  /// What the stream delivers.
  public typealias Element = Payload
  /// A stream does not fail.
  public typealias Failure = Never

  @usableFromInline
  internal let buffer: StreamBuffer<Payload>
  private let token: Token

  internal init(_ buffer: StreamBuffer<Payload>, _ token: Token) {
    self.buffer = buffer
    self.token = token
  }

  deinit { token.cancel() }

  /// How many payloads the buffer policy has discarded.
  ///
  /// - Complexity: O(1).
  public var dropped: Int { buffer.dropped }

  /// Ends the stream with a lifetime, which does not keep it.
  internal func end(with lifetime: Lifetime) { token.attach(to: lifetime) }

  /// Begins to take elements.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
}

@available(*, unavailable)
extension EventStream.Iterator: Sendable {}
