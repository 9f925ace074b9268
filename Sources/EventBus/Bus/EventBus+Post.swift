extension EventBus {
  /// Posts an event: calls every observer of its name, in order.
  ///
  /// Observers are called by priority, then in the order they registered. Those added during the post
  /// are not called by it; those cancelled during it are not called any more. A post from inside a
  /// handler is delivered before the handler goes on.
  ///
  /// What waits for the poster's own actor is delivered first, so that nothing overtakes. A synchronous
  /// nonisolated function has no isolation that the compiler knows, even while it runs on the main actor:
  /// what it posts to handlers on an actor is queued.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - payload: What it carries.
  ///   - sender: Who posts. Not kept.
  ///   - token: A registration not to be told, such as the poster's own.
  ///   - fileID: Where the post was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the poster runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached: called, or queued for their actor.
  /// - Complexity: O(*n*) in the number of observers of the name. No lock, and no allocation for
  ///   handlers that are not bound to an actor.
  @inlinable
  @discardableResult
  public func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    excluding token: Token? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let reached = table.with(name.index) { (core: SignalCore<Payload>) in
      core.send(
        payload,
        from: sender,
        excluding: token,
        fileID: fileID,
        line: line,
        isolation: isolation
      )
    }
    if let reached { return reached }
    return postToNobody(
      name,
      payload,
      from: sender,
      excluding: token,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
  }

  /// Posts an event that carries nothing.
  ///
  /// - Parameters:
  ///   - name: The event.
  ///   - sender: Who posts. Not kept.
  ///   - token: A registration not to be told, such as the poster's own.
  ///   - fileID: Where the post was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - isolation: The actor the poster runs on; filled in by the compiler.
  /// - Returns: How many handlers the event reached: called, or queued for their actor.
  /// - Complexity: O(*n*) in the number of observers of the name.
  @inlinable
  @discardableResult
  public func post(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    excluding token: Token? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    post(name, (), from: sender, excluding: token, fileID: fileID, line: line, isolation: isolation)
  }

  /// Posts an event that nobody has ever observed on this bus.
  @usableFromInline
  func postToNobody<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject?,
    excluding token: Token?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    if !hub.tellsUnhandled, hub.waiting.isZero, hub.isPlain, name.interned.replay == 0 {
      return 0
    }
    return core(of: name).send(
      payload,
      from: sender,
      excluding: token,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
  }
}
