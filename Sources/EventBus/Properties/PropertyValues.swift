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
    let property = readOnly.property
    return PropertyValues(buffering, until: lifetime, fileID: fileID, line: line) {
      property.addObserver(.initial, $0)
    }
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

  /// Creates a sequence.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed.
  ///   - lifetime: A lifetime that ends the sequence.
  ///   - fileID: The source file of the request.
  ///   - line: The line in that file.
  ///   - observe: Registers a handler that receives the current value and every change.
  init(
    _ buffering: AsyncStream<Value>.Continuation.BufferingPolicy,
    until lifetime: Lifetime?,
    fileID: StaticString,
    line: UInt,
    _ observe: (@escaping @Sendable (Change<Value>) -> Void) -> Token
  ) {
    let buffer = StreamBuffer<Value>(BufferLimit(buffering, fileID: fileID, line: line))
    // Cancelled with the release of the handler. If the property belongs to an isolation domain, that is later
    // than the end of the registration; a lifetime ends the sequence at once.
    let end = Token { buffer.finish() }
    let token = observe { [end] change in
      buffer.add(change.new)
      withExtendedLifetime(end) {}
    }
    (self.buffer, self.token) = (buffer, token)
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
