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
  /// The end of the lifetime ends the iteration at once, even while a task is suspended waiting for the
  /// next element; an element that this sequence delivers later is lost. The end and the errors of this
  /// sequence pass through. Cancellation is forwarded to this sequence, whose response is passed on. Each
  /// iteration has a task of its own, which requests elements one by one, on demand, and is cancelled at the
  /// end. The task releases this sequence as soon as its pending request returns. If the lifetime has already
  /// ended, nothing is requested.
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
/// iterator need not be `Sendable`. Therefore each iteration has a task of its own, which creates the base
/// iterator and requests an element only on demand. At the end the task is cancelled; the consumer does
/// not wait for it.
///
/// ```
/// iterator ──► Iteration ──► channel ◄── task ──► iterator of the base
///                               ▲
///                               └────── hook of the lifetime
/// ```
struct UntilSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable {
  typealias Element = Base.Element
  typealias Failure = Base.Failure
  private typealias Channel = PullChannel<Element, Failure>

  /// The task of one iteration, which ends with its iterator.
  private final class Iteration {
    private let channel = Channel()
    private let hook: EndHook

    init(_ base: Base, _ members: EndingMembers) {
      hook = EndHook { [channel] in channel.end() }
      hook.join(members)
      // After the end, not even an iterator is requested from the base.
      if channel.hasEnded { return }
      channel.setSupplier(Task { [channel] in await UntilSequence.supply(channel, from: base) })
    }

    deinit {
      channel.end()
      hook.end(0)
    }

    func next() async throws(Failure) -> Element? {
      let answer = await channel.ask()
      if channel.hasEnded { hook.end(0) }
      return try answer.get()
    }
  }

  struct Iterator: AsyncIteratorProtocol {
    private let base: Base
    private let members: EndingMembers
    private var iteration: Iteration?

    fileprivate init(_ base: Base, _ members: EndingMembers) {
      self.base = base
      self.members = members
    }

    mutating func next() async throws -> Element? {
      try await next(isolation: #isolation)
    }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      let iteration = iteration ?? Iteration(base, members)
      self.iteration = iteration
      return try await iteration.next()
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
