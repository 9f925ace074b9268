/// An observer that puts its events into the buffer of a stream.
///
/// Its link finishes the buffer as soon as the registration has ended.
///
/// A class that is generic is never specialised, so the way into the buffer is a closure from where the
/// stream was asked for, and the payload's type is known.
package final class StreamObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  /// Puts a payload into a buffer and says whether it was kept.
  package typealias Filling = @Sendable (StreamBuffer<Payload>, Payload) -> Bool

  private let buffer: StreamBuffer<Payload>
  private let fill: Filling
  /// Whether every event is accepted.
  private let isPlain: Bool

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - conditions: What to ask before an event is accepted.
  ///   - link: Ends the registration.
  ///   - gate: Holds live events back while earlier ones are replayed.
  ///   - buffer: Where the events go.
  ///   - fill: Puts them there.
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
