/// The buffer of a stream, which is filled on the posting thread and finishes with the registration.
final class StreamSink<Payload: Sendable>: GeneralSink<Payload>,
  @unchecked Sendable  // Reason: constants.
{
  private let buffer: StreamBuffer<Payload>
  private let fill: StreamBuffer<Payload>.Filling

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - request: The parameters of the registration.
  ///   - conditions: The conditions that an event must meet.
  ///   - buffer: The buffer.
  ///   - fill: Adds a payload to the buffer, from code that knows the payload's type.
  init(
    _ registration: ObserverRegistration,
    _ request: ObserveRequest,
    _ conditions: Conditions<Payload>?,
    _ buffer: StreamBuffer<Payload>,
    _ fill: @escaping StreamBuffer<Payload>.Filling
  ) {
    (self.buffer, self.fill) = (buffer, fill)
    super.init(registration, request, conditions)
  }

  override var isCalledByPoster: Bool { false }

  override var isIntercepted: Bool { false }

  override var content: QueueContent? { buffer.content }

  override func accept(_ payload: Payload, _ post: Post, isCounted: Bool) -> Reception {
    let queued = post.followed.map { delivery(in: $0, .element) }
    let isKept = fill(buffer, payload, queued)
    if isKept { queued?.announce() }
    let outcome: Reception =
      if isKept { .queued } else { registration.isActive ? .dropped : registration.refusal }
    endIfOnce()
    return outcome
  }

  override func takeWaiting() -> Discarded? {
    buffer.finish()
    return nil
  }
}

extension StreamBuffer {
  /// The elements that wait, and those discarded, for reports.
  package var content: QueueContent {
    state.withLock { state in
      QueueContent(
        waitingCount: state.elements.count,
        droppedCount: state.dropped,
        isStream: true
      )
    }
  }
}
