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
