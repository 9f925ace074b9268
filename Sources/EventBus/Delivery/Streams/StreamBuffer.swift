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
    /// The number of elements kept or handed over, including those discarded later.
    @usableFromInline
    var added: UInt = 0
    @usableFromInline
    var dropped = 0
    /// The deliveries of waiting elements whose posts hooks follow, by the number of elements added before;
    /// `nil` if there are none.
    @usableFromInline
    var followed: [UInt: FollowedElement]?

    init(_ limit: BufferLimit) { elements = BoundedQueue(limit) }

    /// The waiter to resume, the element to release and the delivery that it ends, after unlocking, and
    /// whether the new element was kept.
    @usableFromInline
    typealias Addition = (
      waiter: StreamWaiter<Element>?, discarded: Element?, displaced: FollowedElement?, isKept: Bool
    )

    /// The element, or `nil` at the end, its delivery, and whether to wait for an element.
    @usableFromInline
    typealias Taken = (element: Element?, delivery: FollowedElement?, isFinal: Bool)

    /// Adds an element, and returns the actions to take after unlocking.
    @inlinable
    mutating func add(_ element: Element, _ delivery: FollowedElement?) -> Addition {
      if hasFinished { return (nil, nil, nil, false) }
      added &+= 1
      if !waiters.isEmpty { return (waiters.removeFirst(), nil, nil, true) }
      let count = elements.count
      guard let discarded = elements.append(element) else {
        if let delivery { follow(delivery) }
        return (nil, nil, nil, true)
      }
      dropped &+= 1
      if elements.keepsOldest {
        added &-= 1
        return (nil, discarded, nil, false)
      }
      let displaced = followed == nil ? nil : unfollow(added &- 1 &- UInt(count))
      if let delivery { follow(delivery) }
      return (nil, discarded, displaced, true)
    }

    /// Removes the first element, if there is one.
    @inlinable
    mutating func take() -> Taken {
      let delivery = followed == nil ? nil : unfollow(added &- UInt(elements.count))
      let element = elements.popFirst()
      return (element, delivery, element != nil || hasFinished)
    }

    /// Remembers the delivery of the newest element.
    @usableFromInline
    mutating func follow(_ delivery: FollowedElement) {
      followed = followed ?? [:]
      followed?[added &- 1] = delivery
    }

    /// Forgets the delivery of the element with a number, which counts those added before it.
    @usableFromInline
    mutating func unfollow(_ number: UInt) -> FollowedElement? {
      let delivery = followed?.removeValue(forKey: number)
      if followed?.isEmpty == true { followed = nil }
      return delivery
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
  package typealias Filling = @Sendable (StreamBuffer, Element, FollowedElement?) -> Bool

  @usableFromInline
  let state: Locked<State>

  /// Creates an empty buffer.
  package init(_ limit: BufferLimit) {
    state = Locked(State(limit))
  }

  deinit {
    guard let followed = state.withLock({ $0.followed }) else { return }
    for (_, delivery) in followed.ordered(by: { $0.key < $1.key }) { delivery.end(.cancelled) }
  }

  /// The number of elements that wait for a consumer.
  package var waitingCount: Int { state.withLock { $0.elements.count } }

  /// The number of discarded elements.
  package var dropped: Int { state.withLock { $0.dropped } }

  /// A Boolean value that indicates whether a consumer waits.
  package var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

  /// Adds an element, unless the buffer has finished.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - delivery: The delivery of the element, if hooks follow its post.
  /// - Returns: `true` if this very element was kept or handed over.
  /// - Complexity: Amortized O(1); O(*n*) in the number of consumers when several wait.
  @inlinable
  @discardableResult
  package func add(_ element: Element, _ delivery: FollowedElement? = nil) -> Bool {
    let addition = state.withLock { $0.add(element, delivery) }
    addition.displaced?.end(.dropped)
    if let waiter = addition.waiter {
      delivery?.take()
      waiter.resume(element)
    }
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
    let taken = takeUnlessCancelled()
    return taken.isFinal ? taken.element : await wait()
  }

  /// Removes the first element, if there is one and the task is not cancelled.
  @inlinable
  func takeUnlessCancelled() -> (element: Element?, isFinal: Bool) {
    if Task.isCancelled { return (nil, true) }
    let taken = state.withLock { $0.take() }
    taken.delivery?.take()
    return (taken.element, taken.isFinal)
  }

  /// Returns the next element if there is one, without waiting.
  ///
  /// - Complexity: Amortized O(1).
  package func nextIfAvailable() -> Element? {
    let taken = state.withLock { $0.take() }
    taken.delivery?.take()
    return taken.element
  }

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
    let taken = state.withLock { state -> State.Taken in
      // Checked under the lock: a later cancellation finds the waiter.
      if Task.isCancelled { return (nil, nil, true) }
      let taken = state.take()
      if !taken.isFinal { state.waiters.append(waiter) }
      return taken
    }
    taken.delivery?.take()
    if taken.isFinal { waiter.resume(taken.element) }
  }

  /// Resumes a consumer whose task was cancelled, if it still waits.
  @inlinable
  func leave(_ number: UInt) {
    let waiter = state.withLock { $0.removeWaiter(number) }
    waiter?.resume(nil)
  }
}

extension StreamBuffer: Finishable {
  package var content: QueueContent? {
    state.withLock { state in
      QueueContent(
        waitingCount: state.elements.count,
        droppedCount: state.dropped,
        isStream: true
      )
    }
  }
}
