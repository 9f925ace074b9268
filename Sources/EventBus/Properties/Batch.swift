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
internal struct PropertyEnlistment<Value> {
  /// The value before the first write; `nil` when nobody wanted it.
  internal let old: Value?
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
