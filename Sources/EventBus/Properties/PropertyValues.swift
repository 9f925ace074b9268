/// The values of a property as an asynchronous sequence.
///
/// What ``Observed/values(buffering:until:fileID:line:)`` returns. Each element goes to one of the tasks
/// that share it; dropping it and its iterators ends the registration.
internal final class PropertyValues<Value: Sendable>: AsyncSequence, Sendable {
  /// Takes the values.
  internal struct Iterator: AsyncIteratorProtocol {
    fileprivate let values: PropertyValues

    internal mutating func next() async -> Value? { await values.buffer.next() }

    internal mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await values.buffer.next(isolation: actor)
    }
  }

  internal typealias Element = Value
  internal typealias Failure = Never

  private let buffer: StreamBuffer<Value>
  private let token: Token
  private let hook: Token?

  internal init(_ buffer: StreamBuffer<Value>, _ token: Token, until lifetime: Lifetime?) {
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

  internal func makeAsyncIterator() -> Iterator { Iterator(values: self) }
}

/// An observer that puts the values into the buffer of a stream, which finishes when the observer dies.
internal final class PropertyValuesObserver<Value: Sendable>: PropertyObserver<Value> {
  private let buffer: StreamBuffer<Value>

  internal init(_ mark: ObservationMark, _ buffer: StreamBuffer<Value>) {
    self.buffer = buffer
    super.init(mark, .changes)
  }

  deinit { buffer.finish() }

  @usableFromInline
  override internal func receive(_ change: Change<Value>) -> Bool {
    buffer.add(change.new)
    return true
  }
}
