extension Observed where Value: Sendable {
  /// The present value and all that follow, as an asynchronous sequence.
  ///
  /// It is live from this call. It ends with the property and with the lifetime, after what was buffered
  /// by then, and at once for a task that is cancelled. The sequence may be handed to other tasks, which
  /// then share its elements; the property stays where it is.
  ///
  /// - Parameters:
  ///   - buffering: What to keep while nobody takes. A size below one is refused with a line on standard
  ///     error, and one value is kept.
  ///   - lifetime: What the sequence shall end with, at the latest.
  ///   - fileID: Where the call was written; filled in by the compiler.
  ///   - line: Its line.
  /// - Returns: The sequence. Dropping it ends the registration; it does not keep the property.
  /// - Complexity: Amortized O(1).
  public func values(
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> some AsyncSequence<Value, Never> & Sendable {
    let (observers, value) = (neededObservers(), storage)
    let buffer = StreamBuffer<Value>(BufferLimit(buffering, fileID: fileID, line: line))
    let token = observers.enter(
      PropertyValuesObserver(observers.newMark(), buffer),
      .initial,
      value: value,
      isBehind: observers.enlisted != nil
    )
    return PropertyValues(buffer, token, until: lifetime)
  }
}

/// The values of a property as an asynchronous sequence.
///
/// What ``Observed/values(buffering:until:fileID:line:)`` returns. Each element goes to one of the tasks
/// that share it; dropping it and its iterators ends the registration.
final class PropertyValues<Value: Sendable>: AsyncSequence, Sendable {
  /// Takes the values.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let values: PropertyValues

    mutating func next() async -> Value? { await values.buffer.next() }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await values.buffer.next(isolation: actor)
    }
  }

  typealias Element = Value
  typealias Failure = Never

  private let buffer: StreamBuffer<Value>
  private let token: Token
  private let hook: Token?

  init(_ buffer: StreamBuffer<Value>, _ token: Token, until lifetime: Lifetime?) {
    self.buffer = buffer
    self.token = token
    // The observer finishes the buffer when it dies, which it does in the property's domain, some time
    // later; a lifetime ends at once.
    hook = lifetime?.onEnd {
      token.cancel()
      buffer.finish()
    }
  }

  deinit {
    hook?.cancel()
    token.cancel()
  }

  func makeAsyncIterator() -> Iterator { Iterator(values: self) }
}

/// An observer that puts the values into the buffer of a stream, which finishes when the observer dies.
final class PropertyValuesObserver<Value: Sendable>: PropertyObserver<Value> {
  private let buffer: StreamBuffer<Value>

  init(_ mark: ObservationMark, _ buffer: StreamBuffer<Value>) {
    self.buffer = buffer
    super.init(mark, .changes)
  }

  deinit { buffer.finish() }

  @usableFromInline
  override func receive(_ change: Change<Value>) -> Bool {
    buffer.add(change.new)
    return true
  }
}
