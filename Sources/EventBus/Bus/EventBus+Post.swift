extension EventBus {
  /// Posts an event by calling every observer of its name, in order.
  ///
  /// Observers are called by priority, then in the order of registration. A post does not call observers
  /// that are added or cancelled while it runs. A post from inside a handler is delivered before that
  /// handler continues.
  ///
  /// Events that wait for the poster's own actor are delivered first, so that no event overtakes another. In
  /// a synchronous nonisolated function the compiler knows no isolation, even while the function runs on the
  /// main actor: events that it posts to handlers on an actor are queued.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - payload: The payload.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the post; filled in by the compiler.
  ///   - line: The line of the post.
  ///   - isolation: The actor on which the poster runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers of the name. No lock unless both the event and some
  ///   observers have a sender, and no allocation for handlers that the poster calls.
  @inlinable
  @discardableResult
  public func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let site = CallSite(fileID, line)
    let reached = table.with(name.index) { (core: SignalCore<Payload>) in
      core.send(payload, from: sender, excluding: nil, at: site, on: isolation)
    }
    return reached ?? postUnobserved(name, payload, from: sender, at: site, on: isolation)
  }

  /// Posts an event, and leaves out one registration, such as that of a bridge by which the event has come.
  ///
  /// - Returns: The number of handlers that the event reached.
  @discardableResult
  package func post<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    excluding token: Token?,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    let site = CallSite(fileID, line)
    return core(of: name).send(payload, from: sender, excluding: token, at: site, on: isolation)
  }

  /// Posts an event without a payload.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the post; filled in by the compiler.
  ///   - line: The line of the post.
  ///   - isolation: The actor on which the poster runs; filled in by the compiler.
  /// - Returns: The number of handlers that the event reached: those called, and those for which it was
  ///   queued.
  /// - Complexity: O(*n*) in the number of observers of the name.
  @inlinable
  @discardableResult
  public func post(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Int {
    post(name, (), from: sender, fileID: fileID, line: line, isolation: isolation)
  }

  /// Returns whether a name has observers; those of every event do not count.
  ///
  /// For events of the libraries that matter only to code that observes them by name.
  package func hasObservers<Payload>(of name: EventName<Payload>) -> Bool {
    table.with(name.index) { (core: SignalCore<Payload>) in core.count > 0 } ?? false
  }

  /// Posts an event that has never been observed on this bus.
  ///
  /// Only what nearly every such post needs: the rest would make each of them save and restore registers.
  @usableFromInline
  @inline(never)
  func postUnobserved<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int {
    if !busState.reportsUnhandled, busState.waiting.isZero, busState.isPlain,
      name.interned.replay == 0
    {
      return 0
    }
    return postToNewCore(name, payload, from: sender, at: site, on: isolation)
  }

  /// Posts an event that may matter to this bus although it has never been observed.
  @inline(never)
  private func postToNewCore<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject?,
    at site: CallSite,
    on isolation: (any Actor)?
  ) -> Int {
    core(of: name).send(payload, from: sender, excluding: nil, at: site, on: isolation)
  }
}
