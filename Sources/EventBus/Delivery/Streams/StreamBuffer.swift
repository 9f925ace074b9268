/// The elements that wait for the consumers of a stream, and the consumers that wait for elements.
///
/// A lock with continuations: an element that finds a consumer waiting is handed over at once. At no
/// time do both wait.
///
/// What moves an element is inlined where the type of the elements is known. Left generic it looks up
/// types at run time, which costs ten times the work itself.
///
/// ## Thread safety
///
/// Every member may be used from any thread. Elements are let go under no lock.
@usableFromInline
package final class StreamBuffer<Element: Sendable>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline
    var elements: BoundedQueue<Element>
    @usableFromInline
    var waiters = StreamWaiters<Element>()
    @usableFromInline
    var hasFinished = false
    @usableFromInline
    var added: UInt = 0
    @usableFromInline
    var dropped = 0

    init(_ limit: BufferLimit) { elements = BoundedQueue(limit) }

    /// Takes an element in; what has to go, and whom to wake, is returned.
    @inlinable
    mutating func add(_ element: Element) -> Handover {
      if hasFinished { return Handover(isKept: false) }
      added &+= 1
      if let waiter = waiters.popFirst() { return Handover(waiter: waiter) }
      let count = elements.count
      guard let discarded = elements.append(element) else { return Handover() }
      dropped &+= 1
      let isKept = !elements.keepsOldest || elements.count > count
      if !isKept { added &-= 1 }
      return Handover(discarded: discarded, isKept: isKept)
    }

    /// Takes an element out, if there is one or never will be.
    @inlinable
    mutating func take() -> Taking {
      if let element = elements.popFirst() { return .element(element) }
      return hasFinished ? .finished : .nothing
    }
  }

  /// What is to be done after an element was taken in, under no lock.
  @usableFromInline
  struct Handover: Sendable {
    @usableFromInline
    let waiter: StreamWaiter<Element>?
    @usableFromInline
    let discarded: Element?
    @usableFromInline
    let isKept: Bool

    @inlinable
    init(
      waiter: StreamWaiter<Element>? = nil,
      discarded: Element? = nil,
      isKept: Bool = true
    ) {
      self.waiter = waiter
      self.discarded = discarded
      self.isKept = isKept
    }
  }

  /// What a consumer that comes finds.
  @usableFromInline
  enum Taking: Sendable {
    /// The first element.
    case element(Element)
    /// Nothing, and nothing will come.
    case finished
    /// Nothing yet.
    case nothing
  }

  @usableFromInline
  let state: Locked<State>

  /// Creates an empty buffer.
  package init(_ limit: BufferLimit) {
    state = Locked(State(limit))
  }

  /// How many elements were kept or handed over, those included that were discarded later.
  package var added: UInt { state.withLock { $0.added } }

  /// How many elements were discarded.
  package var dropped: Int { state.withLock { $0.dropped } }

  /// Adds an element, unless the buffer has finished.
  ///
  /// - Returns: Whether this very element was kept or handed over.
  /// - Complexity: Amortized O(1); O(*n*) in the number of consumers when several wait.
  @inlinable
  @discardableResult
  package func add(_ element: Element) -> Bool {
    let handover = state.withLock { $0.add(element) }
    handover.waiter?.resume(element)
    return handover.isKept
  }

  /// Adds nothing more: consumers get what is left, then `nil`.
  package func finish() {
    let waiters = state.withLock { state in
      state.hasFinished = true
      return state.waiters.removeAll()
    }
    for waiter in waiters { waiter.resume(nil) }
  }

  /// The next element; `nil` after the last, or when the task is or was cancelled.
  ///
  /// - Complexity: Amortized O(1) when nobody else waits.
  @inlinable
  package func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    if Task.isCancelled { return nil }
    switch state.withLock({ $0.take() }) {
    case .element(let element): return element
    case .finished: return nil
    case .nothing: return await wait()
    }
  }

  /// Waits for an element that was not there yet.
  ///
  /// Who waits on an actor is among the waiters before the actor does anything else.
  @inlinable
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    let number = state.withLock { $0.waiters.newNumber() }
    return await withTaskCancellationHandler {  // Reason: the actor is captured.
      await StreamWaiter.wait(number, isolation: isolation) { enter($0) }
    } onCancel: {
      leave(number)
    }
  }

  /// Lets a consumer wait, or answers it at once.
  @inlinable
  func enter(_ waiter: StreamWaiter<Element>) {
    let taking = state.withLock { state -> Taking in
      // Looked at under the lock: a cancellation that comes later finds the waiter.
      if Task.isCancelled { return .finished }
      let taking = state.take()
      if case .nothing = taking { state.waiters.append(waiter) }
      return taking
    }
    switch taking {
    case .element(let element): waiter.resume(element)
    case .finished: waiter.resume(nil)
    case .nothing: break
    }
  }

  /// Sends a consumer away whose task was cancelled, if it still waits.
  @inlinable
  func leave(_ number: UInt) {
    let waiter = state.withLock { $0.waiters.remove(number) }
    waiter?.resume(nil)
  }
}

extension StreamBuffer: Finishable {}

/// The consumers of a stream that wait, in the order they came.
///
/// A plain value, made for one of them: it stands apart, so that it costs no array.
@usableFromInline
package struct StreamWaiters<Element: Sendable>: Sendable {
  /// Nothing only if nobody waits.
  @usableFromInline
  var first: StreamWaiter<Element>?
  @usableFromInline
  var others: [StreamWaiter<Element>] = []
  @usableFromInline
  var lastNumber: UInt = 0

  /// Nobody.
  init() {}

  /// A number for a consumer that is about to wait.
  @inlinable
  mutating func newNumber() -> UInt {
    lastNumber &+= 1
    return lastNumber
  }

  /// Adds a consumer behind all others.
  @inlinable
  mutating func append(_ waiter: StreamWaiter<Element>) {
    if first == nil { first = waiter } else { others.append(waiter) }
  }

  /// Takes the first out.
  ///
  /// - Complexity: O(*n*) in the number of those who wait.
  @inlinable
  mutating func popFirst() -> StreamWaiter<Element>? {
    guard let waiter = first else { return nil }
    first = others.isEmpty ? nil : others.removeFirst()
    return waiter
  }

  /// Takes the one with a number out, if it waits.
  ///
  /// - Complexity: O(*n*) in the number of those who wait.
  @inlinable
  mutating func remove(_ number: UInt) -> StreamWaiter<Element>? {
    if first?.number == number { return popFirst() }
    return others.firstIndex { $0.number == number }.map { others.remove(at: $0) }
  }

  /// Takes all of them out.
  mutating func removeAll() -> [StreamWaiter<Element>] {
    let all = [first].compactMap(\.self) + others
    (first, others) = (nil, [])
    return all
  }
}
