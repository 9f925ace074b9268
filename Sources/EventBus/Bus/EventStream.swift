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
    let stream: EventStream

    @inlinable
    init(stream: EventStream) { self.stream = stream }

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
  let buffer: StreamBuffer<Payload>
  private let token: Token

  init(_ buffer: StreamBuffer<Payload>, _ token: Token) {
    self.buffer = buffer
    self.token = token
  }

  deinit { token.cancel() }

  /// How many payloads the buffer policy has discarded.
  ///
  /// - Complexity: O(1).
  public var dropped: Int { buffer.dropped }

  /// Ends the stream with a lifetime, which does not keep it.
  func end(with lifetime: Lifetime) { token.attach(to: lifetime) }

  /// Begins to take elements.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
}

@available(*, unavailable)
extension EventStream.Iterator: Sendable {}

extension EventBus {
  /// The occurrences of an event as an asynchronous sequence, from now on.
  ///
  /// With a name that replays it begins with what is kept.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - buffering: What to keep while nobody takes; what is discarded is counted. A size below one is
  ///     refused with a line on standard error, and one event is kept.
  ///   - lifetime: What the stream shall end with, at the latest.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  /// - Returns: The stream. Dropping it unsubscribes.
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
  /// The wait does not keep the bus.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - predicate: Asked on the posting thread; what it declines is not the next occurrence.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  /// - Returns: The payload.
  /// - Throws: `CancellationError` when the waiting task is cancelled or the bus dies first.
  public consuming func next<Payload>(
    _ name: EventName<Payload>,
    where predicate: (@Sendable (Payload) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Payload {
    let stream = core(of: name).single(where: predicate, fileID: fileID, line: line)
    _ = consume self
    var iterator = stream.makeAsyncIterator()
    guard let payload = await iterator.next() else { throw CancellationError() }
    return payload
  }
}

extension EventBus {
  /// Every event of the bus as a stream, in the order of delivery.
  ///
  /// - Parameters:
  ///   - fileID: Where the stream was asked for.
  ///   - line: Its line.
  ///   - fill: Puts an event into the stream, on the posting thread.
  /// - Returns: The stream. Dropping it unsubscribes.
  func allEvents(
    fileID: StaticString,
    line: UInt,
    fill: @escaping @Sendable (StreamBuffer<AnyEvent>, AnyEvent) -> Bool
  ) -> EventStream<AnyEvent> {
    wildcards.stream(.unbounded, until: nil, fileID: fileID, line: line, fill: fill)
  }
}

extension Signal {
  /// The occurrences of the signal as an asynchronous sequence, from now on.
  ///
  /// - Parameters:
  ///   - buffering: What to keep while nobody takes; what is discarded is counted.
  ///   - lifetime: What the stream shall end with, at the latest.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  /// - Returns: The stream. Dropping it unsubscribes.
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
  /// Subscribes a stream.
  ///
  /// - Parameters:
  ///   - policy: What to keep while nobody takes.
  ///   - lifetime: What the stream shall end with, at the latest.
  ///   - fileID: Where the stream was asked for.
  ///   - line: Its line.
  ///   - fill: The way into the buffer, from where the payload's type is known.
  /// - Returns: The stream.
  @usableFromInline
  func stream(
    _ policy: AsyncStream<Payload>.Continuation.BufferingPolicy,
    until lifetime: Lifetime?,
    fileID: StaticString,
    line: UInt,
    fill: @escaping @Sendable (StreamBuffer<Payload>, Payload) -> Bool
  ) -> EventStream<Payload> {
    let request = ObserveRequest(priority: .normal, once: false, fileID: fileID, line: line)
    let limit = BufferLimit(policy, fileID: fileID, line: line)
    let stream = subscribe(request, where: nil, limit, replays: true, fill: fill)
    if let lifetime { stream.end(with: lifetime) }
    return stream
  }

  /// Subscribes a stream of one live event.
  func single(
    where predicate: Predicate?,
    fileID: StaticString,
    line: UInt
  ) -> EventStream<Payload> {
    let request = ObserveRequest(priority: .normal, once: true, fileID: fileID, line: line)
    return subscribe(request, where: predicate, .unlimited, replays: false) { $0.add($1) }
  }

  private func subscribe(
    _ request: ObserveRequest,
    where predicate: Predicate?,
    _ limit: BufferLimit,
    replays: Bool,
    fill: @escaping StreamObserver<Payload>.Filling
  ) -> EventStream<Payload> {
    let buffer = StreamBuffer<Payload>(limit)
    let link = ObserverLink(self)
    let observer = StreamObserver<Payload>(
      fileID: request.fileID,
      line: request.line,
      conditions: .init(predicate: predicate, once: request.once),
      link: link,
      gate: replays ? newGate() : nil,
      buffer: buffer,
      fill: fill
    )
    enter(observer, request, link)
    return EventStream(buffer, Token(link, handle: 0))
  }
}
