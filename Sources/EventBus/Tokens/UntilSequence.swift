extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The elements of this sequence until a lifetime ends.
  ///
  /// ```swift
  /// for await line in lines.until(screen.lifetime) { print(line) }
  /// ```
  ///
  /// The end is told at once, also to a task that is suspended waiting for the next element; what this
  /// sequence delivers later is lost. Its own end, and its errors, pass through, and so does cancellation:
  /// what this sequence makes of it is what the consumer gets. Elements are asked for one by one, when they
  /// are wanted, in a task of its own for each iteration, which is cancelled at the end. The sequence is let
  /// go then, as soon as it answers; nothing is taken from it when the lifetime had ended before.
  ///
  /// - Parameter lifetime: What to end with. It is not kept.
  /// - Returns: A sequence that can be iterated as often as this one; an iterator is used by one task.
  public func until(_ lifetime: Lifetime) -> some AsyncSequence<Element, Failure> & Sendable {
    UntilSequence(self, lifetime.members)
  }
}

/// A sequence that ends with a lifetime.
///
/// The lifetime must be able to end an iteration that is suspended in the sequence, whatever that is, and
/// the iterator of the sequence need not be `Sendable`. So each iteration has a task of its own that makes
/// the iterator and asks it for an element only when one is wanted. At the end the task is cancelled; the
/// consumer does not wait for it.
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

  /// Ends the task with the iterator it belongs to.
  private final class Iteration {
    private let channel = Channel()
    private let hook: EndHook

    init(_ base: Base, _ members: EndingMembers) {
      hook = EndHook { [channel] in channel.end() }
      hook.join(members)
      // Nothing is taken from the base after the end, not even an iterator.
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

  /// Takes the elements.
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
