public import Synchronization

/// Defers the reports of changes until a closure returns, and reports each property at most once.
///
/// ```swift
/// @MainActor final class Account {
///   @Observed var owner = "Ada"
///   @Observed var balance = 0
/// }
///
/// let account = Account()
/// let token = account.$balance.observe { change in print("\(change.old) → \(change.new)") }
/// batch {
///   account.balance = 5
///   account.balance = 7
/// }  // 0 → 7
/// ```
///
/// Values are stored at once and can be read at once, including computed ones. When the closure returns,
/// each property that was set reports one change from its first old value to its last new value, in the
/// order of the first writes. Then the computed values that depend on these properties notify their
/// observers. A property that ends with the value it began with reports nothing, if its values can be
/// compared. Validators run for every write; `prior: true` observers are called once, at the
/// first write.
///
/// A nested batch belongs to the outer one. If the closure throws, the stored values remain and are
/// reported.
///
/// ``SharedObserved`` and ``WeakObserved`` properties take no part: what the closure sets there is reported
/// at once.
///
/// - Parameter body: Sets properties of the caller's isolation domain. Tasks that it starts are not part of
///   the batch.
/// - Returns: The closure's result.
/// - Throws: The closure's error.
/// - Complexity: O(1) for each write: one lookup of the thread's open batch. A write outside a batch reads one
///   additional word.
public func batch<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
  guard let batch = OpenBatch.begin() else { return try body() }
  defer { batch.end() }
  return try body()
}

extension Observed: BatchMember {
  var dependentNodes: [ComputedNode] { observers?.dependents.elements ?? [] }

  func batchWillEnd() -> Bool {
    guard let observers, observers.has(.batch) else { return false }
    // The property leaves before it compares: `==` is code of the program.
    let old = observers.rounds.leaveBatch()
    let isNetZero = old.map { isEqual(to: $0, observers) } ?? false
    return observers.rounds.queueBatch(old: old, new: storage, isNetZero: isNetZero)
  }

  func batchDidEnd() { observers?.drainPending() }
}

/// An observed property of any type, which defers its reports to the end of a batch.
protocol BatchMember: AnyObject {
  /// The computed values that depend on the member, oldest first.
  var dependentNodes: [ComputedNode] { get }
  /// Leaves the batch and queues its change, before any member delivers one.
  ///
  /// - Returns: `true` if this batch delivers the queue of the member; `false` if there is nothing to
  ///   deliver, or a report in progress or an enclosing batch delivers it.
  func batchWillEnd() -> Bool
  /// Delivers the queued changes.
  func batchDidEnd()
}

/// The open batch of a thread.
///
/// A batch is synchronous, so it is open only on the thread that opened it, whatever tasks its closure
/// starts. One word, read with relaxed ordering, indicates that no batch is open anywhere.
@usableFromInline
final class OpenBatch {
  @usableFromInline static let openCount = Atomic<Int>(0)
  /// The address of the open batch of the thread, which its caller retains; zero for none.
  private static let address = ThreadNumber()

  private var members: [any BatchMember] = []

  /// True if a batch is open on any thread.
  @inlinable
  static var isAnyOpen: Bool { openCount.load(ordering: .relaxed) != 0 }

  /// The open batch of the current thread.
  static var current: OpenBatch? {
    guard isAnyOpen else { return nil }
    return ObjectAddress.object(UInt(bitPattern: address.value), as: OpenBatch.self)
  }

  /// Opens a batch on the current thread.
  ///
  /// - Returns: The batch, or `nil` if one is already open; the caller's changes then belong to that one.
  static func begin() -> OpenBatch? {
    guard address.value == 0 else { return nil }
    let batch = OpenBatch()
    address.value = Int(bitPattern: ObjectAddress.of(batch))
    openCount.wrappingAdd(1, ordering: .relaxed)
    return batch
  }

  /// Adds a member at its first change.
  func add(_ member: any BatchMember) { members.append(member) }

  /// Closes the batch and delivers the members' reports, in the order in which they joined.
  func end() {
    Self.openCount.wrappingSubtract(1, ordering: .relaxed)
    Self.address.value = 0
    // All reports are queued before the first is delivered: changes made by observers come after them.
    let reporting = members.filter { $0.batchWillEnd() }
    for member in reporting { member.batchDidEnd() }
    ComputedNode.settle(from: members.flatMap(\.dependentNodes))
  }
}

@available(*, unavailable)
extension OpenBatch: Sendable {}
