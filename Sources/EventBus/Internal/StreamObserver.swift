/// An observer that puts its events into the buffer of a stream.
///
/// When it is freed, because its token was cancelled or its list was closed, the stream finishes.
package final class StreamObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let buffer: StreamBuffer<Payload>

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - conditions: What to ask before an event is accepted.
  ///   - link: Ends the registration.
  ///   - gate: Holds live events back while earlier ones are replayed.
  ///   - buffer: Where the events go.
  package init(
    fileID: StaticString,
    line: UInt,
    conditions: Conditions,
    link: ObserverLink,
    gate: ReplayGate?,
    buffer: StreamBuffer<Payload>
  ) {
    self.buffer = buffer
    super.init(
      fileID: fileID,
      line: line,
      conditions: conditions,
      owner: .none,
      link: link,
      gate: gate
    )
  }

  deinit { buffer.finish() }

  override package var droppedCount: UInt { UInt(buffer.dropped) }

  override package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    let isKept = buffer.add(payload)
    endIfOnce()
    return isKept ? .queued : .dropped
  }
}
