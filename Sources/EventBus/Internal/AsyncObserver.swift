/// An observer with an asynchronous handler: one call at a time, first in first out.
///
/// The queue is an object of its own. A task takes from it as long as something is there, and holds the
/// observer only while it makes a call, so that cancelling frees an idle handler at once.
package final class AsyncObserver<Payload: Sendable>: ConditionalObserver<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let body: @Sendable (Payload) async throws -> Reception
  private let queue: AsyncCallQueue<Payload>

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - conditions: What to ask before an event is accepted.
  ///   - owner: What is known of the owner.
  ///   - link: Ends the registration.
  ///   - gate: Holds live events back while earlier ones are replayed.
  ///   - limit: What to keep while the handler is busy.
  ///   - mailbox: The mailbox of the actor on which the handler runs.
  ///   - body: Calls the handler, with its owner where it has one.
  package init(
    fileID: StaticString,
    line: UInt,
    conditions: Conditions,
    owner: OwnerFacts,
    link: ObserverLink,
    gate: ReplayGate?,
    limit: BufferLimit,
    mailbox: Mailbox?,
    body: @escaping @Sendable (Payload) async throws -> Reception
  ) {
    self.body = body
    queue = AsyncCallQueue(limit, link: link)
    super.init(
      fileID: fileID,
      line: line,
      conditions: conditions,
      owner: owner,
      link: link,
      gate: gate,
      mailbox: mailbox
    )
  }

  override package var loadsOwnerOnPost: Bool { false }
  override package var isBound: Bool { true }
  override package var droppedCount: UInt { queue.droppedCount }
  override package var dependent: (any Finishable)? { queue }

  override package func accept(_ payload: Payload, _ delivery: borrowing Delivery) throws
    -> Reception
  {
    queue.add(payload, delivery) ? .queued : .dropped
  }

  /// Calls the handler and waits for it.
  ///
  /// - Throws: What the handler throws.
  package func run(_ payload: Payload) async throws -> Reception {
    endIfOnce()
    calls.add()
    return try await body(payload)
  }
}
