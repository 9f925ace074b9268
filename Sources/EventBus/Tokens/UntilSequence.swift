extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Returns a sequence that ends with a lifetime.
  ///
  /// ```swift
  /// let lifetime = Lifetime()
  /// let (lines, input) = AsyncStream<String>.makeStream()
  /// let reading = Task {
  ///   for await line in lines.until(lifetime) { print(line) }
  /// }
  /// lifetime.end()  // ends the loop, although the stream has not ended
  /// await reading.value
  /// ```
  ///
  /// The end of the lifetime ends the iteration at once, even while a task is suspended waiting for the next
  /// element; an element that this sequence delivers later is lost. The end and the errors of this sequence
  /// pass through. Cancellation is forwarded to this sequence, whose response is passed on. Each iteration
  /// has its own task, which requests elements one by one, on demand, and is cancelled at the end. The task
  /// releases this sequence as soon as its pending request returns. If the lifetime has already ended,
  /// nothing is requested.
  ///
  /// - Parameter lifetime: The lifetime that ends the sequence. It is not kept alive.
  /// - Returns: A sequence that can be iterated as often as this one. Each iterator is for one task.
  public func until(_ lifetime: Lifetime) -> some AsyncSequence<Element, Failure> & Sendable {
    UntilSequence(self, lifetime.members)
  }
}

/// A sequence that ends with a lifetime.
///
/// The lifetime must be able to end an iteration that is suspended in any base sequence, and the base
/// iterator need not be `Sendable`. Therefore each iteration has its own task, which creates the base
/// iterator and requests an element only on demand. At the end the task is cancelled; the consumer does
/// not wait for it.
///
/// ```
/// iterator ──► channel ◄── task ──► iterator of the base
///                 ▲
///                 └────── hook of the lifetime
/// ```
struct UntilSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable {
  typealias Element = Base.Element
  typealias Failure = Base.Failure
  private typealias Channel = PullChannel<Element, Failure>

  /// An iterator; the task of its iteration begins with the first request and ends with the iterator.
  final class Iterator: AsyncIteratorProtocol {
    private let base: Base
    private let members: EndingMembers
    private var iteration: (channel: Channel, hook: ActionRegistration)?

    fileprivate init(_ base: Base, _ members: EndingMembers) {
      self.base = base
      self.members = members
    }

    deinit {
      iteration?.channel.end()
      iteration?.hook.end()
    }

    func next() async throws -> Element? { try await next(isolation: #isolation) }

    func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      let (channel, hook) = iteration ?? begin()
      let answer = await channel.ask()
      if channel.hasEnded { hook.end() }
      return try answer.get()
    }

    private func begin() -> (channel: Channel, hook: ActionRegistration) {
      let channel = Channel()
      let hook = ActionRegistration(at: .endOfLifetime) { channel.end() }
      iteration = (channel, hook)
      hook.join(members)
      // After the end, not even an iterator is requested from the base.
      if !channel.hasEnded {
        channel.setSupplier(Task { [base] in await UntilSequence.supply(channel, from: base) })
      }
      return (channel, hook)
    }
  }

  private let base: Base
  private let members: EndingMembers

  init(_ base: Base, _ members: EndingMembers) {
    self.base = base
    self.members = members
  }

  func makeAsyncIterator() -> Iterator { Iterator(base, members) }

  private static func supply(_ channel: Channel, from base: Base) async {
    guard await channel.isAsked() else { return }
    var iterator = base.makeAsyncIterator()
    var isWanted = true
    while isWanted {
      let answer: Channel.Answer
      do throws(Failure) {
        answer = .success(try await iterator.next(isolation: nil))
      } catch {
        answer = .failure(error)
      }
      guard channel.supply(answer) else { return }
      isWanted = await channel.isAsked()
    }
  }
}

/// A channel that passes elements from a supplier task to a consumer task, one for each request.
///
/// One task requests elements, one supplies them. Either side may end the channel at any time.
final class PullChannel<Element: Sendable, Failure: Error>: Sendable {
  /// The consumer's result: an element, the end, or an error.
  typealias Answer = Result<Element?, Failure>

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
  init() {}

  var hasEnded: Bool { state.withLock { $0 == nil } }

  /// Sets the supplier task, which the channel cancels when it ends.
  func setSupplier(_ task: Task<Void, Never>) {
    let hasEnded = state.withLock { state in
      state?.task = task
      return state == nil
    }
    if hasEnded { task.cancel() }
  }

  /// Requests an element and waits for it.
  ///
  /// Cancelling the waiting task cancels the supplier, whose response to that is the result.
  func ask() async -> Answer {
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
  func isAsked() async -> Bool {
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
  func supply(_ answer: Answer) -> Bool {
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
  func end() {
    let ended = state.withLock { $0.take() }
    ended?.task?.cancel()
    ended?.supplier?.resume(returning: false)
    ended?.consumer?.resume(returning: .success(nil))
  }
}
