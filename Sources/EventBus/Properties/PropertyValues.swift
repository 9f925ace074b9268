extension ObservableProperty where Value: Sendable {
  /// Returns the current value and all later ones as an asynchronous sequence.
  ///
  /// The sequence buffers values from this call on. It ends after its buffered values when the property is
  /// deinitialized or the lifetime ends, and at once for a cancelled task. The sequence may be passed to
  /// other tasks, which then share its elements; the property stays in its isolation domain.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed. A size below one prints a warning to
  ///     standard error and keeps one value.
  ///   - lifetime: A lifetime that ends the sequence.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The sequence. Releasing it ends the registration. It does not retain the property.
  /// - Complexity: Amortized O(1).
  public func values(
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> some AsyncSequence<Value, Never> & Sendable {
    let limit = BufferLimit(buffering, fileID: fileID, line: line)
    return readOnly.property.makeValues(limit, until: lifetime)
  }
}

extension Observed where Value: Sendable {
  fileprivate func makeValues(
    _ limit: BufferLimit,
    until lifetime: Lifetime?
  ) -> PropertyValues<Value> {
    let observers = observersToJoin()
    let buffer = StreamBuffer<Value>(limit)
    let token = observers.register(.initial, value: storage) { PropertyValuesObserver($0, buffer) }
    return PropertyValues(buffer, token, until: lifetime)
  }
}

/// The values of a property as an asynchronous sequence.
///
/// ``ObservableProperty/values(buffering:until:fileID:line:)`` returns it. Each element goes to one of the tasks that
/// share the sequence. Releasing the sequence ends the registration. It is its own iterator,
/// because its consumers share one position.
final class PropertyValues<Value: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private let buffer: StreamBuffer<Value>
  private let token: Token
  private let hook: Token?

  init(_ buffer: StreamBuffer<Value>, _ token: Token, until lifetime: Lifetime?) {
    self.buffer = buffer
    self.token = token
    // The observer finishes the buffer in `deinit`, later, in the property's domain. A lifetime ends the
    // sequence at once.
    hook = lifetime?.onEnd {
      token.cancel()
      buffer.finish()
    }
  }

  deinit {
    hook?.cancel()
    token.cancel()
  }

  func makeAsyncIterator() -> PropertyValues { self }

  func next() async -> Value? { await buffer.next() }

  func next(isolation actor: isolated (any Actor)?) async -> Value? {
    await buffer.next(isolation: actor)
  }
}

/// An observer that adds the values to a stream's buffer and finishes the buffer when it is deinitialized.
final class PropertyValuesObserver<Value: Sendable>: PropertyObserver<Value> {
  private let buffer: StreamBuffer<Value>

  init(_ registration: PropertyRegistration, _ buffer: StreamBuffer<Value>) {
    self.buffer = buffer
    super.init(registration, .changes)
  }

  deinit { buffer.finish() }

  @usableFromInline
  override func receive(_ change: Change<Value>) -> Bool {
    buffer.add(change.new)
    return true
  }
}
