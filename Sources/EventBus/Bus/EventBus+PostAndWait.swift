extension EventBus {
  /// Posts an event and waits until every handler has finished, including handlers on actors and
  /// asynchronous handlers.
  ///
  /// When called from an asynchronous handler, the method does not wait for a call that itself waits for
  /// that handler, such as another call of it. This holds in the handler's own task. A child task
  /// (`async let`, a task group) and a `Task` that the handler starts cannot be distinguished from inside,
  /// and the latter may outlive the handler, so both wait for every call: a handler deadlocks if it waits
  /// for such a task while that task waits here for another call of the handler. Call `postAndWait` in the
  /// handler's own task, or do not wait for the task that calls it. The method returns early when the
  /// waiting task is cancelled; the handlers continue, and unfinished calls count as having reached them.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - payload: The payload.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The outcome of the post: the numbers of handlers that it reached and did not reach, and
  ///   their errors.
  /// - Complexity: O(*n*) in the number of observers, plus the time of the slowest handler.
  @discardableResult
  public func postAndWait<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) async -> PostOutcome {
    let completion = postCounting(
      name,
      payload,
      from: sender,
      fileID: fileID,
      line: line,
      isolation: isolation
    )
    await completion.wait()
    return completion.outcome
  }

  /// Posts an event without a payload and waits until every handler has finished.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The outcome of the post.
  /// - Complexity: O(*n*) in the number of observers, plus the time of the slowest handler.
  @discardableResult
  public func postAndWait(
    _ name: EventName<Void>,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) async -> PostOutcome {
    await postAndWait(name, (), from: sender, fileID: fileID, line: line, isolation: isolation)
  }

  /// Posts an event and returns a count of its running calls, with which to wait until every handler has
  /// finished, including handlers on actors and asynchronous handlers.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - payload: The payload.
  ///   - sender: The sender of the event, which is not retained.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - isolation: The actor on which the caller runs; filled in by the compiler.
  /// - Returns: The count of the unfinished calls, with the outcomes of the others.
  /// - Complexity: O(*n*) in the number of observers.
  package func postCounting<Payload>(
    _ name: EventName<Payload>,
    _ payload: Payload,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation
  ) -> Completion {
    let core = core(of: name)
    let call = RunningCall.current
    if let call, call.isFirstTooDeep() {
      core.waitsNest(call.handlerCount, at: CallSite(fileID, line))
    }
    let completion = Completion(of: core, callers: call?.chain ?? [])
    let record = PostRecord(completion)
    var post = Post(at: CallSite(fileID, line), from: sender, on: isolation)
    post.setRecord(record)
    if let isolation, !busState.counts.areMailboxesEmpty { busState.drainMailbox(of: isolation) }
    core.sendInOrder(payload, from: sender, post)
    withExtendedLifetime(record) {}
    completion.finish()
    return completion
  }
}
