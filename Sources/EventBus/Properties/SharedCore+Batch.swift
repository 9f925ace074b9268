internal import Synchronization

extension SharedCore {
  /// Records a write, if it belongs to a batch; ends the batch of another thread.
  ///
  /// Called with the lock held.
  ///
  /// - Parameters:
  ///   - old: The value before the write.
  ///   - thread: The thread that made the write.
  ///   - depth: The depth of the round whose handler made the write, if that call is outside any turn.
  ///   - isBarred: A Boolean value that indicates whether a registration or the end of a pause preceded the
  ///     write.
  ///   - batch: The open batch of the thread.
  ///   - property: The property that owns this object; the batch retains it.
  ///   - removed: Receives the values to release outside the lock.
  ///   - state: The state.
  /// - Returns: `true` if the write belongs to no batch and is still to be recorded.
  func recordBatched(
    from old: Value,
    by thread: UInt,
    answering depth: Int?,
    isBarred: Bool,
    in batch: OpenBatch?,
    of property: (any AnyObject & Sendable)?,
    _ removed: inout [Value]?,
    _ state: inout SharedChanges<Value>
  ) -> Bool {
    if batch == nil || !state.isBatched(by: thread) {
      endBatch(with: old, isBarred: isBarred, &removed, &state)
    }
    guard let batch else { return true }
    let isFirst = state.recordInBatch(
      from: old,
      by: thread,
      answering: depth,
      isBarred: isBarred,
      wantsPrior: priors.load(ordering: .relaxed) > 0
    )
    if isFirst { batch.addOnce(self, of: property) }
    return false
  }

  private func endBatch(
    with last: Value,
    isBarred: Bool,
    _ removed: inout [Value]?,
    _ state: inout SharedChanges<Value>
  ) {
    var displaced: Value?
    let first = state.endBatch(with: last, isBarred: isBarred, displaced: &displaced)
    if displaced != nil { countMerged() }
    removed = [first, displaced].compactMap(\.self)
  }
}

extension SharedCore: BatchMember {
  var dependentNodes: [ComputedNode] { [] }

  /// Queues the change made by the batch.
  func batchWillEnd(_ released: inout [Any]) {
    let thread = currentThreadID()
    var removed: [Value]?
    state.withLock { state in
      guard state.isBatched(by: thread) else { return }
      let isBarred = isBarred.exchange(false, ordering: .relaxed)
      endBatch(with: state.value, isBarred: isBarred, &removed, &state)
    }
    if let removed { released.append(removed) }
  }

  /// Reports the change made by the batch, unless another thread is delivering.
  func batchDidEnd(of property: (any AnyObject & Sendable)?) {
    let thread = currentThreadID()
    if state.withLock({ $0.beginTurn(of: thread) }) { deliver(of: property) }
  }
}
