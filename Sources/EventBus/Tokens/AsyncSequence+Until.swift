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
