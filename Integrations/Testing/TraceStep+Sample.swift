public import EventBus

// The values that hooks receive, for tests of hooks: only a bus makes others.

extension AnyEvent {
  /// Creates an event that was never posted, to pass to a hook in a test.
  ///
  /// - Parameters:
  ///   - name: The string of the event's name.
  ///   - payload: The payload.
  ///   - sender: The sender.
  ///   - fileID: The file of the post; filled in by the compiler.
  ///   - line: The line of the post.
  /// - Returns: The event.
  public static func sample(
    _ name: String,
    payload: any Sendable = (),
    sender: AnyObject? = nil,
    fileID: String = #fileID,
    line: UInt = #line
  ) -> AnyEvent {
    AnyEvent(
      name: name,
      payload: payload,
      sender: sender.map { ObjectIdentifier($0) },
      site: SourceSite(fileID: fileID, line: line)
    )
  }
}

extension HandlerFailure {
  /// Creates the failure of a handler that was never called, to pass to a hook in a test.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - event: The event.
  ///   - fileID: The file of the registration; filled in by the compiler.
  ///   - line: The line of the registration.
  /// - Returns: The failure.
  public static func sample(
    _ error: any Error,
    of event: AnyEvent,
    fileID: String = #fileID,
    line: UInt = #line
  ) -> HandlerFailure {
    HandlerFailure(
      error: error,
      event: event,
      registeredAt: SourceSite(fileID: fileID, line: line)
    )
  }
}

extension TraceStep {
  /// Creates a step of a post that never happened, to pass to a hook in a test.
  ///
  /// ```swift
  /// let step = TraceStep.sample(.finished(nil), post: 1, registration: 7)
  /// ```
  ///
  /// All samples belong to one bus without a label.
  ///
  /// - Parameters:
  ///   - kind: The kind of the step.
  ///   - post: The number of the post.
  ///   - name: The string of the event's name.
  ///   - outerPost: The number of the post around it; `nil` for none.
  ///   - depth: The number of enclosing posts.
  ///   - registration: The number of the registration that the step concerns; `nil` for none.
  ///   - actor: The actor on which the step takes place; `nil` if it is not known.
  ///   - time: The time of the step.
  ///   - fileID: The file of the post and of the registration; filled in by the compiler.
  ///   - line: The line of both.
  /// - Returns: The step.
  public static func sample(
    _ kind: Kind,
    post: Int,
    name: String = "sample",
    outerPost: Int? = nil,
    depth: Int = 0,
    registration: Int? = nil,
    actor: (any Actor)? = nil,
    time: ContinuousClock.Instant = .now,
    fileID: String = #fileID,
    line: UInt = #line
  ) -> TraceStep {
    let site = SourceSite(fileID: fileID, line: line)
    return TraceStep(
      bus: Bus(label: "", id: ObjectIdentifier(EventRecorder.self)),
      post: post,
      outerPost: outerPost,
      name: name,
      site: site,
      depth: depth,
      registration: registration.map { Registration(id: $0, site: site) },
      actor: actor.map { ActorIdentity($0) },
      time: time,
      kind: kind
    )
  }
}
