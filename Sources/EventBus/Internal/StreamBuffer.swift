/// The elements that wait for the consumers of a stream, and the consumers that wait for elements.
///
/// A lock with continuations: an element that finds a consumer waiting is handed over at once.
package final class StreamBuffer<Element: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Element?, Never>

  private struct State {
    var elements: BoundedQueue<Element>
    /// The consumers in the order they came, by number.
    var waiters: [(number: UInt, continuation: Waiter)] = []
    var nextWaiter: UInt = 0
    var hasFinished = false
    var dropped = 0
  }

  private struct Handover {
    var waiter: Waiter?
    var discarded: Element?
    var isKept = true
  }

  private let state: Locked<State>

  /// Creates an empty buffer.
  package init(_ limit: BufferLimit) {
    state = Locked(State(elements: BoundedQueue(limit)))
  }

  /// How many elements were discarded.
  package var dropped: Int { state.withLock { $0.dropped } }

  /// Adds an element, unless the buffer has finished.
  ///
  /// - Returns: Whether this very element was kept or handed over.
  @discardableResult
  package func add(_ element: Element) -> Bool {
    let handover = state.withLock { state -> Handover in
      var handover = Handover()
      if state.hasFinished {
        handover.isKept = false
      } else if !state.waiters.isEmpty {
        handover.waiter = state.waiters.removeFirst().continuation
      } else {
        let count = state.elements.count
        handover.discarded = state.elements.append(element)
        if handover.discarded != nil {
          state.dropped += 1
          handover.isKept = !state.elements.keepsOldest || state.elements.count > count
        }
      }
      return handover
    }
    handover.waiter?.resume(returning: element)
    return handover.isKept
  }

  /// Adds nothing more: consumers get what is left, then `nil`.
  package func finish() {
    let waiters = state.withLock { state in
      state.hasFinished = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  /// The next element; `nil` after the last, or when the task is or was cancelled.
  package func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    if Task.isCancelled { return nil }
    let (immediate, isOver, number) = state.withLock { state in
      let first = state.elements.popFirst()
      defer { state.nextWaiter += 1 }
      return (first, state.hasFinished, state.nextWaiter)
    }
    if let immediate { return immediate }
    if isOver { return nil }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, number) }
    } onCancel: {
      let waiter = state.withLock { state in
        let index = state.waiters.firstIndex { $0.number == number }
        return index.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: nil)
    }
  }

  private func wait(_ continuation: Waiter, _ number: UInt) {
    let (answer, mustWait) = state.withLock { state -> (Element?, Bool) in
      // Looked at under the lock: a cancellation that comes later finds the waiter.
      if Task.isCancelled { return (nil, false) }
      if let first = state.elements.popFirst() { return (first, false) }
      if state.hasFinished { return (nil, false) }
      state.waiters.append((number, continuation))
      return (nil, true)
    }
    if !mustWait { continuation.resume(returning: answer) }
  }
}
