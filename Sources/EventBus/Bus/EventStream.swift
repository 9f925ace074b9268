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
      await stream.buffer.next(isolation: actor)
    }
  }

  /// The payload of the event.
  public typealias Element = Payload
  /// The error type: a stream never fails.
  public typealias Failure = Never

  @usableFromInline
  let buffer: StreamBuffer<Payload>
  private let token: Token

  init(_ buffer: StreamBuffer<Payload>, _ token: Token) {
    self.buffer = buffer
    self.token = token
  }

  deinit { token.cancel() }

  /// The number of payloads that the buffering policy has discarded.
  ///
  /// - Complexity: O(1).
  public var dropped: Int { buffer.dropped }

  /// Creates an iterator over the elements of the stream.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
}

@available(*, unavailable)
extension EventStream.Iterator: Sendable {}

extension EventBus {
  /// Returns a stream of the occurrences of an event, beginning with this call.
  ///
  /// If the name asks for replay, the stream begins with the recorded payloads.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - buffering: The payloads to keep while no task asks for them. Discarded payloads are counted. For a
  ///     size below one, a line is written to standard error and one payload is kept.
  ///   - lifetime: The lifetime with which the stream ends, at the latest.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The stream. Releasing it unsubscribes.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func events<Payload>(
    _ name: EventName<Payload>,
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> EventStream<Payload> {
    core(of: name).stream(buffering, until: lifetime, fileID: fileID, line: line) { $0.add($1) }
  }

  /// Waits for the next occurrence of an event, after this call.
  ///
  /// The wait does not keep the bus alive.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - predicate: The filter, called on the posting thread. Events for which it returns `false` do not end
  ///     the wait.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The payload.
  /// - Throws: `CancellationError` if the waiting task is cancelled, or if the bus is released, before the
  ///   event occurs.
  public consuming func next<Payload>(
    _ name: EventName<Payload>,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Payload {
    let request = ObserveRequest(fileID: fileID, line: line, once: true, predicate: predicate)
    let stream = core(of: name).stream(request, wantsReplay: false) { $0.add($1) }
    _ = consume self
    var iterator = stream.makeAsyncIterator()
    guard let payload = await iterator.next() else { throw CancellationError() }
    return payload
  }
}

extension Signal {
  /// Returns a stream of the occurrences of the signal, beginning with this call.
  ///
  /// - Parameters:
  ///   - buffering: The payloads to keep while no task asks for them. Discarded payloads are counted.
  ///   - lifetime: The lifetime with which the stream ends, at the latest.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The stream. Releasing it unsubscribes.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func events(
    buffering: AsyncStream<Payload>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> EventStream<Payload> {
    core.stream(buffering, until: lifetime, fileID: fileID, line: line) { $0.add($1) }
  }
}

extension SignalCore {
  /// Registers a stream.
  ///
  /// - Parameters:
  ///   - policy: The payloads to keep while no task asks for them.
  ///   - lifetime: The lifetime with which the stream ends, at the latest.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  ///   - fill: The closure that adds a payload to the buffer, from code that knows the payload's type.
  /// - Returns: The stream.
  @usableFromInline
  func stream(
    _ policy: AsyncStream<Payload>.Continuation.BufferingPolicy,
    until lifetime: Lifetime?,
    fileID: StaticString,
    line: UInt,
    fill: @escaping StreamBuffer<Payload>.Filling
  ) -> EventStream<Payload> {
    let limit = BufferLimit(policy, fileID: fileID, line: line, report: hub.message)
    let request = ObserveRequest<Payload>(fileID: fileID, line: line, limit: limit)
    return stream(request, until: lifetime, fill: fill)
  }

  fileprivate func stream(
    _ request: Request,
    until lifetime: Lifetime? = nil,
    wantsReplay: Bool = true,
    fill: @escaping StreamBuffer<Payload>.Filling
  ) -> EventStream<Payload> {
    let buffer = StreamBuffer<Payload>(request.limit)
    let token = register(request, wantsReplay: wantsReplay, .stream(buffer, fill))
    if let lifetime { token.attach(to: lifetime) }
    return EventStream(buffer, token)
  }
}
