public import Synchronization

/// Reports the changes made inside a closure when it has ended, each property at most once.
///
/// ```swift
/// batch {
///   account.owner = "Grace"
///   account.balance = 7
/// }
/// ```
///
/// Values are stored at once and can be read at once, also computed ones. When the body has ended, each
/// property that was set reports one change, from the value it had at first to the one it has at last, in
/// the order of the first writes; then the computed values that depend on them. A property that has the
/// value it began with reports nothing, if its values can be compared. Validators decide on every write;
/// ``ObserveOptions/prior`` observers are told once, at the first.
///
/// A batch inside a batch belongs to the outer one. If the body throws, what was stored stays, and is
/// reported.
///
/// - Parameter body: Sets properties of the caller's isolation domain. Tasks it starts are outside.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: One lock and one lookup for each first set; a set outside batches reads one word more.
public func batch<R>(_ body: () throws -> R) rethrows -> R {
  guard let batch = OpenBatch.begin() else { return try body() }
  defer { batch.end() }
  return try body()
}

/// What a property has to tell at the end of a batch.
struct PropertyEnlistment<Value> {
  /// The value before the first write; `nil` when nobody wanted it.
  let old: Value?
}

extension Observed: BatchMember {
  /// Queues the change of the whole batch.
  package func batchWillEnd() {
    guard let observers, let enlisted = observers.enlisted else { return }
    observers.enlisted = nil
    let isNetZero = enlisted.old.map(isEqual(to:)) ?? false
    observers.enqueueBatch(old: enlisted.old, new: storage, isNetZero: isNetZero)
  }

  /// Tells the change of the whole batch.
  package func batchDidEnd() { observers?.drainBatch() }

  /// Settles what was computed from all that the batch has changed.
  package func settleBatch(with members: [any BatchMember]) {
    let sources = members.compactMap { $0 as? any DependencySource }
    ComputedNode.settle(from: sources.flatMap(\.dependentNodes))
  }
}

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

  @usableFromInline static let openCount = Atomic<Int>(0)
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
