/// A channel that passes elements from a supplier task to a consumer task, one for each request.
///
/// One task requests elements, one supplies them. Either side may end the channel at any time.
package final class PullChannel<Element: Sendable, Failure: Error>: Sendable {
  /// The consumer's result: an element, the end, or an error.
  package typealias Answer = Result<Element?, Failure>

  private struct State {
    var consumer: CheckedContinuation<Answer, Never>?
    var supplier: CheckedContinuation<Bool, Never>?
    /// A request for which no supplier was waiting.
    var isAsked = false
    var task: Task<Void, Never>?
  }

  /// The state, or `nil` once the channel has ended.
  private let state = Locked<State?>(State())

  /// Creates a channel without a supplier.
  package init() {}

  /// A Boolean value that indicates whether the channel has ended.
  package var hasEnded: Bool { state.withLock { $0 == nil } }

  /// Sets the supplier task, which the channel cancels when it ends.
  package func setSupplier(_ task: Task<Void, Never>) {
    let hasEnded = state.withLock { state in
      state?.task = task
      return state == nil
    }
    if hasEnded { task.cancel() }
  }

  /// Requests an element and waits for it.
  ///
  /// Cancelling the waiting task cancels the supplier, whose response to that is the result.
  package func ask() async -> Answer {
    await withCancellationHandling {
      await withCheckedContinuation { consumer in
        let (hasEnded, supplier) = state.withLock { state in
          let supplier = state?.supplier.take()
          state?.consumer = consumer
          state?.isAsked = supplier == nil
          return (state == nil, supplier)
        }
        if hasEnded { consumer.resume(returning: .success(nil)) }
        supplier?.resume(returning: true)
      }
    } onCancel: {
      state.withLock { $0?.task }?.cancel()
    }
  }

  /// Waits until the consumer requests an element.
  ///
  /// - Returns: `false` when the channel has ended.
  package func isAsked() async -> Bool {
    await withCheckedContinuation { supplier in
      let answer: Bool? = state.withLock { state in
        if state == nil { return false }
        if state?.isAsked == true {
          state?.isAsked = false
          return true
        }
        state?.supplier = supplier
        return nil
      }
      if let answer { supplier.resume(returning: answer) }
    }
  }

  /// Passes a result to the consumer.
  ///
  /// The end of the sequence, or an error, ends the channel.
  ///
  /// - Returns: `false` when the channel has ended.
  package func supply(_ answer: Answer) -> Bool {
    let isLast = if case .success(.some) = answer { false } else { true }
    let (former, hasEnded) = state.withLock { state in
      let former = state
      if isLast { state = nil } else { state?.consumer = nil }
      return (former, state == nil)
    }
    former?.consumer?.resume(returning: answer)
    return !hasEnded
  }

  /// Ends the channel: current and later requests return `nil`.
  package func end() {
    let ended = state.withLock { $0.take() }
    ended?.task?.cancel()
    ended?.supplier?.resume(returning: false)
    ended?.consumer?.resume(returning: .success(nil))
  }
}
