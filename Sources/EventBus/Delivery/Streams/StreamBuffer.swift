/// The elements that wait for the consumers of a stream, or the consumers that wait for elements.
///
/// A lock with continuations: an element that arrives while a consumer waits is handed over at once, so
/// elements and consumers never wait at the same time.
///
/// The functions that move elements are inlinable where the element type is known. Unspecialized they look
/// up types at run time, which costs ten times the work itself.
///
/// ## Thread safety
///
/// Every member may be used from any thread. Elements are released after unlocking.
@usableFromInline
package final class StreamBuffer<Element: Sendable>: Sendable {
  @usableFromInline
  struct State: ~Copyable, Sendable {
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
    @usableFromInline
    var alarm = CrowdAlarm()

    init(_ limit: BufferLimit) { elements = BoundedQueue(limit) }

    /// The outcome for a new element, with the action to take after unlocking.
    @usableFromInline
    enum Addition: Sendable {
      /// The buffer has finished, or is full: nothing was added.
      case refused
      /// The waiter is to be resumed with the element.
      case handedOver(StreamWaiter<Element>)
      /// The element waits, if necessary instead of another one, which is to be released; its delivery is to be
      /// ended. The number of elements is not zero if it is to be reported.
      case kept(instead: Element?, FollowedElement?, crowd: Int)
    }

    /// The answer to a consumer.
    @usableFromInline
    enum Taken: Sendable {
      /// An element, and its delivery.
      case element(Element, FollowedElement?)
      /// There will be no more elements.
      case end
      /// There is no element yet.
      case nothing
    }

    /// Adds an element, and returns the actions to take after unlocking.
    @inlinable
    mutating func add(_ element: Element, _ delivery: FollowedElement?) -> Addition {
      if hasFinished { return .refused }
      added &+= 1
      if !waiters.isEmpty { return .handedOver(waiters.removeFirst()) }
      let count = elements.count
      guard let discarded = elements.append(element) else {
        if let delivery { follow(delivery) }
        return .kept(instead: nil, nil, crowd: alarm.isDue(count &+ 1) ? count &+ 1 : 0)
      }
      dropped &+= 1
      if elements.keepsOldest {
        added &-= 1
        return .refused
      }
      let displaced = followed == nil ? nil : unfollow(added &- 1 &- UInt(count))
      if let delivery { follow(delivery) }
      return .kept(instead: discarded, displaced, crowd: 0)
    }

    /// Removes the first element, if there is one.
    @inlinable
    mutating func take() -> Taken {
      let delivery = followed == nil ? nil : unfollow(added &- UInt(elements.count))
      if let element = elements.popFirst() { return .element(element, delivery) }
      return hasFinished ? .end : .nothing
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
  @usableFromInline
  let onCrowd: @Sendable (Int) -> Void

  /// Creates an empty buffer.
  ///
  /// - Parameters:
  ///   - limit: The elements to keep.
  ///   - onCrowd: Reports a large number of elements; called with no lock held.
  package init(_ limit: BufferLimit, onCrowd: @escaping @Sendable (Int) -> Void) {
    state = Locked(State(limit))
    self.onCrowd = onCrowd
  }

  deinit {
    guard let followed = state.withLock({ $0.followed }) else { return }
    for (_, delivery) in followed.ordered(by: { $0.key < $1.key }) { delivery.cancel() }
  }

  /// The number of elements that wait for a consumer.
  package var waitingCount: Int { state.withLock { $0.elements.count } }

  /// The number of discarded elements.
  package var dropped: Int { state.withLock { $0.dropped } }

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
    switch state.withLock({ $0.add(element, delivery) }) {
    case .refused: return false
    case .handedOver(let waiter):
      delivery?.take()
      waiter.resume(element)
    case .kept(_, let displaced, let crowd):
      displaced?.drop()
      if crowd > 0 { onCrowd(crowd) }
    }
    return true
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
    switch takeUnlessCancelled() {
    case .element(let element, _): element
    case .end: nil
    case .nothing: await wait()
    }
  }

  /// Removes the first element, if there is one and the task is not cancelled.
  @inlinable
  func takeUnlessCancelled() -> State.Taken {
    if Task.isCancelled { return .end }
    let taken = state.withLock { $0.take() }
    if case .element(_, let delivery) = taken { delivery?.take() }
    return taken
  }

  /// Returns the next element if there is one, without waiting.
  ///
  /// - Complexity: Amortized O(1).
  package func nextIfAvailable() -> Element? {
    guard case .element(let element, let delivery) = state.withLock({ $0.take() }) else {
      return nil
    }
    delivery?.take()
    return element
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
      if Task.isCancelled { return .end }
      let taken = state.take()
      if case .nothing = taken { state.waiters.append(waiter) }
      return taken
    }
    switch taken {
    case .element(let element, let delivery):
      delivery?.take()
      waiter.resume(element)
    case .end: waiter.resume(nil)
    case .nothing: break
    }
  }

  /// Resumes a consumer whose task was cancelled, if it still waits.
  @inlinable
  func leave(_ number: UInt) {
    let waiter = state.withLock { $0.removeWaiter(number) }
    waiter?.resume(nil)
  }
}

/// The delivery of an element to a stream, if hooks follow its post, as the buffer sees it.
@usableFromInline
package class FollowedElement: @unchecked Sendable {  // Reason: stateless.
  /// Creates a delivery.
  package init() {}

  /// Reports that a consumer takes the element.
  @usableFromInline
  package func take() {}

  /// Reports that the element gives way to another one.
  @usableFromInline
  package func drop() {}

  /// Reports that no consumer will take the element.
  package func cancel() {}
}
