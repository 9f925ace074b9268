extension EventBus {
  /// Calls a handler at the next occurrence of an event, where the poster is, and tells it where that is.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called once, on the posting thread, before the post returns, with the payload and the
  ///     actor that the poster runs on, where the compiler knew it. The registration has ended by then.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  package func observePoster<Payload>(
    of name: EventName<Payload>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (Payload, (any Actor)?) -> Void
  ) -> Token {
    let core = core(of: name)
    let link = ObserverLink(core)
    let observer = PosterObserver(fileID: fileID, line: line, link: link, handler: handler)
    link.connect(observer)
    if !core.add(observer, priority: Priority.normal.rawValue, isBound: true) { link.disconnect() }
    return Token(link, handle: 0)
  }
}
