/// The elements that wait for the consumers of a stream, or the consumers that wait for elements.
///
/// A lock with continuations: an element that arrives while a consumer waits is handed over at once, so
/// elements and consumers never wait at the same time.
///
/// The functions that move elements are inlinable where the element type is known. Unspecialised they look
/// up types at run time, which costs ten times the work itself.
///
/// ## Thread safety
///
/// Every member may be used from any thread. Elements are released after unlocking.
@usableFromInline
package final class StreamBuffer<Element: Sendable>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline
    var elements: BoundedQueue<Element>
    /// The waiting consumers, in order of arrival.
    @usableFromInline
    var waiters: [StreamWaiter<Element>] = []
    @usableFromInline
    var lastNumber: UInt = 0
    @usableFromInline
    var hasFinished = false
    @usableFromInline
    var added: UInt = 0
    @usableFromInline
    var dropped = 0

    init(_ limit: BufferLimit) { elements = BoundedQueue(limit) }

    /// The waiter to resume and the element to release after unlocking, and whether the new one was kept.
    @usableFromInline
    typealias Addition = (waiter: StreamWaiter<Element>?, discarded: Element?, isKept: Bool)

    /// Adds an element, and returns the actions to take after unlocking.
    @inlinable
    mutating func add(_ element: Element) -> Addition {
      if hasFinished { return (nil, nil, false) }
      added &+= 1
      if !waiters.isEmpty { return (waiters.removeFirst(), nil, true) }
      let count = elements.count
      guard let discarded = elements.append(element) else { return (nil, nil, true) }
      dropped &+= 1
      let isKept = !elements.keepsOldest || elements.count > count
      if !isKept { added &-= 1 }
      return (nil, discarded, isKept)
    }

    /// Removes the first element, if there is one.
    ///
    /// - Returns: The element, or `nil` at the end; not final while nothing is there yet.
    @inlinable
    mutating func take() -> (element: Element?, isFinal: Bool) {
      let element = elements.popFirst()
      return (element, element != nil || hasFinished)
    }

    /// Assigns a number to a consumer that is about to wait.
    @inlinable
    mutating func newNumber() -> UInt {
      lastNumber &+= 1
      return lastNumber
    }

    /// Removes the consumer with a number, if it waits.
    ///
    /// - Complexity: O(*n*) in the number of waiting consumers.
    @inlinable
    mutating func removeWaiter(_ number: UInt) -> StreamWaiter<Element>? {
      waiters.firstIndex { $0.number == number }.map { waiters.remove(at: $0) }
    }
  }

  /// Adds an element to a buffer, and returns whether it was kept.
  @usableFromInline
  package typealias Filling = @Sendable (StreamBuffer, Element) -> Bool

  @usableFromInline
  let state: Locked<State>

  /// Creates an empty buffer.
  package init(_ limit: BufferLimit) {
    state = Locked(State(limit))
  }

  /// The number of elements kept or handed over, including those discarded later.
  package var added: UInt { state.withLock { $0.added } }

  /// The number of discarded elements.
  package var dropped: Int { state.withLock { $0.dropped } }

  /// Adds an element, unless the buffer has finished.
  ///
  /// - Returns: `true` if this very element was kept or handed over.
  /// - Complexity: Amortized O(1); O(*n*) in the number of consumers when several wait.
  @inlinable
  @discardableResult
  package func add(_ element: Element) -> Bool {
    let addition = state.withLock { $0.add(element) }
    addition.waiter?.resume(element)
    return addition.isKept
  }

  /// Finishes the buffer: consumers receive the remaining elements, then `nil`.
  package func finish() {
    let waiters = state.withLock { state in
      state.hasFinished = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(nil) }
  }

  /// Returns the next element; `nil` after the last one, or when the task is cancelled.
  ///
  /// - Complexity: Amortized O(1) when no other consumer waits.
  @inlinable
  package func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    if Task.isCancelled { return nil }
    let (element, isFinal) = state.withLock { $0.take() }
    return isFinal ? element : await wait()
  }

  /// Returns the next element if there is one, without waiting.
  ///
  /// - Complexity: Amortized O(1).
  package func nextIfAvailable() -> Element? { state.withLock { $0.take() }.element }

  /// Waits for an element that is not there yet.
  ///
  /// A consumer on an actor is enlisted before the actor runs any other code.
  @inlinable
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    let number = state.withLock { $0.newNumber() }
    return await withTaskCancellationHandler {  // Reason: the actor is captured.
      await StreamWaiter.wait(number, isolation: isolation) { enter($0) }
    } onCancel: {
      leave(number)
    }
  }

  /// Enlists a consumer, or resumes it at once.
  @inlinable
  func enter(_ waiter: StreamWaiter<Element>) {
    let (element, isFinal) = state.withLock { state -> (Element?, Bool) in
      // Checked under the lock: a later cancellation finds the waiter.
      if Task.isCancelled { return (nil, true) }
      let taken = state.take()
      if !taken.isFinal { state.waiters.append(waiter) }
      return taken
    }
    if isFinal { waiter.resume(element) }
  }

  /// Resumes a consumer whose task was cancelled, if it still waits.
  @inlinable
  func leave(_ number: UInt) {
    let waiter = state.withLock { $0.removeWaiter(number) }
    waiter?.resume(nil)
  }
}

extension StreamBuffer: Finishable {}
