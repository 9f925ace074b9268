public import Synchronization

/// Something that changed inside a batch and tells its observers at the end.
package protocol BatchMember: AnyObject {
  /// Puts what there is to tell into the queue of the member, before anything is told.
  func batchWillEnd()
  /// Tells it.
  func batchDidEnd()
  /// Settles what was computed from the members, all of them together; asked of one of them.
  func settleBatch(with members: [any BatchMember])
}

/// The batch that is open on a thread.
///
/// A batch is synchronous, so it is open on the thread that opened it and nowhere else, whatever tasks
/// its body starts. One word, read without an order, tells everybody else that there is no batch.
@usableFromInline
package final class OpenBatch: @unchecked Sendable {  // Reason: touched by its own thread only.
  private struct State {
    var batches: [UInt: OpenBatch] = [:]
  }

  @usableFromInline internal static let openCount = Atomic<Int>(0)
  private static let open = Locked(State())

  private let thread: UInt
  private var members: [any BatchMember] = []

  private init(_ thread: UInt) { self.thread = thread }

  /// Whether a batch is open on any thread.
  @inlinable
  package static var isAnyOpen: Bool { openCount.load(ordering: .relaxed) != 0 }

  /// The batch that is open on this thread.
  package static var current: OpenBatch? {
    guard isAnyOpen else { return nil }
    let thread = ThreadIdentity.current
    return open.withLock { $0.batches[thread] }
  }

  /// Opens a batch.
  ///
  /// - Returns: `nil` when one is open on this thread, which the caller then belongs to.
  package static func begin() -> OpenBatch? {
    let thread = ThreadIdentity.current
    let batch = OpenBatch(thread)
    let isFirst = open.withLock { state in
      guard state.batches[thread] == nil else { return false }
      state.batches[thread] = batch
      return true
    }
    guard isFirst else { return nil }
    openCount.wrappingAdd(1, ordering: .relaxed)
    return batch
  }

  /// Adds what has changed for the first time.
  package func add(_ member: any BatchMember) { members.append(member) }

  /// Closes the batch and lets its members tell, in the order in which they joined.
  package func end() {
    Self.openCount.wrappingSubtract(1, ordering: .relaxed)
    let closed = Self.open.withLock { $0.batches.removeValue(forKey: thread) }
    let members = self.members
    // All are queued before the first is told: what its observers set comes after.
    for member in members { member.batchWillEnd() }
    for member in members { member.batchDidEnd() }
    members.first?.settleBatch(with: members)
    withExtendedLifetime(closed) {}
  }
}
