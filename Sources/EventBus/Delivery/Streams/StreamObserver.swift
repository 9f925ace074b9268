/// An observer that adds its events to the buffer of a stream.
///
/// Its link finishes the buffer as soon as the registration ends.
///
/// Methods of a generic class are never specialised, so events are added through a closure that the caller
/// creates where the payload's type is known.
package final class StreamObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  /// Adds a payload to a buffer, and returns whether it was kept.
  package typealias Filling = @Sendable (StreamBuffer<Payload>, Payload) -> Bool

  private let buffer: StreamBuffer<Payload>
  private let fill: Filling
  /// A Boolean value that indicates whether every event is accepted.
  private let isPlain: Bool

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The source file of the registration.
  ///   - line: The source line.
  ///   - conditions: The conditions for accepting an event.
  ///   - link: The link that ends the registration.
  ///   - gate: The gate that holds live events back during a replay.
  ///   - buffer: The buffer for the events.
  ///   - fill: Adds a payload to the buffer.
  package init(
    fileID: StaticString,
    line: UInt,
    conditions: Conditions,
    link: ObserverLink,
    gate: ReplayGate?,
    buffer: StreamBuffer<Payload>,
    fill: @escaping Filling
  ) {
    self.buffer = buffer
    self.fill = fill
    isPlain = gate == nil && conditions.predicate == nil && !conditions.once
    super.init(
      fileID: fileID,
      line: line,
      conditions: conditions,
      owner: .none,
      link: link,
      gate: gate
    )
  }

  override package var loadsOwnerOnPost: Bool { false }
  override package var dependent: (any Finishable)? { buffer }

  override package func deliveredCount(of posts: () -> UInt) -> Int { Int(clamping: buffer.added) }
  override package var droppedCount: UInt { UInt(buffer.dropped) }

  override package func receive(_ payload: Payload) throws -> Reception {
    guard isPlain else { return try super.receive(payload) }
    return fill(buffer, payload) ? .queued : .dropped
  }

  override package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    let isKept = fill(buffer, payload)
    endIfOnce()
    return isKept ? .queued : .dropped
  }
}
