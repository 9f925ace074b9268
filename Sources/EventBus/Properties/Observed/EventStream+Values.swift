extension EventStream {
  /// Creates the stream of the values of a property.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed.
  ///   - lifetime: A lifetime that ends the stream.
  ///   - fileID: The source file of the request.
  ///   - line: The line in that file.
  ///   - observe: Registers a handler that receives the current value and every change.
  convenience init(
    _ buffering: AsyncStream<Payload>.Continuation.BufferingPolicy,
    until lifetime: Lifetime?,
    fileID: StaticString,
    line: UInt,
    _ observe: (@escaping @Sendable (Change<Payload>) -> Void) -> Token
  ) {
    let site = CallSite(fileID, line)
    let buffer = StreamBuffer<Payload>(BufferLimit(buffering, at: site)) { count in
      printError(
        "EventBus: \(count) values wait in the stream made at \(SourceSite(site)). No task reads it, or not as fast"
          + " as the property changes: read it, end it, or pass a buffering policy that keeps fewer."
      )
    }
    // Cancelled with the release of the handler. If the property belongs to an isolation domain, that is later
    // than the end of the registration; the lifetime ends the stream at once.
    let end = Token { buffer.finish() }
    let registration = observe { [end] change in
      buffer.add(change.new)
      withExtendedLifetime(end) {}
    }
    let token = Token {
      registration.cancel()
      buffer.finish()
    }
    if let lifetime { token.attach(to: lifetime) }
    self.init(buffer, token)
  }
}
