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
    if !core.add(observer, priority: Priority.normal.rawValue) { link.disconnect() }
    return Token(link, handle: 0)
  }
}

extension EventBus {
  /// How many times, one inside the other, what was posted for an actor from elsewhere is being
  /// delivered; asked on that actor.
  ///
  /// A call that begins while the number is higher than at some earlier point of the call stack was
  /// not led to by what runs there: a post on the actor delivers first what waits for it.
  ///
  /// - Complexity: O(1).
  package func openings(on actor: any Actor) -> Int { hub.openings(on: actor) }
}
