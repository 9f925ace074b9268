/// Brings the elements of a sequence from the task that takes them out of it to the one that wants them,
/// each only when it is asked for.
///
/// One task asks, one supplies. Either side may end it at any time.
package final class PullChannel<Element: Sendable, Failure: Error>: Sendable {
  /// What the consumer gets: an element, the end, or an error.
  package typealias Answer = Result<Element?, Failure>

  private struct State {
    var consumer: CheckedContinuation<Answer, Never>?
    var supplier: CheckedContinuation<Bool, Never>?
    /// Whether the consumer asked and the supplier has not heard of it.
    var isAsked = false
    var hasEnded = false
    var task: Task<Void, Never>?
  }

  private let state = Locked(State())

  /// Creates a channel without a supplier.
  package init() {}

  /// Whether it has ended.
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Names the task that supplies, which is cancelled when the channel ends.
  package func setSupplier(_ task: Task<Void, Never>) {
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.task = task }
      return state.hasEnded
    }
    if hasEnded { task.cancel() }
  }

  /// Asks for an element and waits for it.
  ///
  /// When the waiting task is cancelled the supplier is, too; what that makes of it is the answer.
  package func ask() async -> Answer {
    await withCancellationHandling {
      await withCheckedContinuation { consumer in
        let (hasEnded, supplier) = state.withLock { state in
          if state.hasEnded { return (true, nil as CheckedContinuation<Bool, Never>?) }
          state.consumer = consumer
          let supplier = state.supplier.take()
          state.isAsked = supplier == nil
          return (false, supplier)
        }
        if hasEnded { consumer.resume(returning: .success(nil)) }
        supplier?.resume(returning: true)
      }
    } onCancel: {
      state.withLock { $0.task }?.cancel()
    }
  }

  /// Waits until the consumer asks.
  ///
  /// - Returns: `false` when the channel has ended.
  package func isAsked() async -> Bool {
    await withCheckedContinuation { supplier in
      let answer: Bool? = state.withLock { state in
        if state.hasEnded { return false }
        if state.isAsked {
          state.isAsked = false
          return true
        }
        state.supplier = supplier
        return nil
      }
      if let answer { supplier.resume(returning: answer) }
    }
  }

  /// Answers the consumer; the end and an error end the channel.
  ///
  /// - Returns: `false` when nobody wants more.
  package func supply(_ answer: Answer) -> Bool {
    let isLast = if case .success(.some) = answer { false } else { true }
    let (consumer, hasEnded) = state.withLock { state in
      if isLast {
        state.hasEnded = true
        state.task = nil
      }
      return (state.consumer.take(), state.hasEnded)
    }
    consumer?.resume(returning: answer)
    return !hasEnded
  }

  /// Ends it: who asks, now or later, is told that there is nothing more.
  package func end() {
    let ended = state.withLock { state in
      let ended = state
      state = State(hasEnded: true)
      return ended
    }
    ended.task?.cancel()
    ended.supplier?.resume(returning: false)
    ended.consumer?.resume(returning: .success(nil))
  }
}
