/// Decides which switch comes next when switches are asked for while one is running.
///
/// A plain value. The first caller becomes the runner and does one round after the other; whoever
/// asks meanwhile leaves a wish, and the last wish wins. Wishes that never end are given up.
package struct SwitchQueue<Wish> {
  /// What the runner does next.
  package enum Step {
    /// One round.
    case run(Wish)
    /// Nothing is left; the queue is idle again.
    case done
    /// The rounds are used up and there is still a wish. It is dropped; the queue is idle again.
    case givenUp(Wish)
  }

  /// How many rounds one runner does.
  package static var maximumRounds: Int { 16 }

  private var wish: Wish?
  private var rounds: Int?

  /// Creates an idle queue.
  package init() {}

  /// Leaves a wish in place of the last one.
  ///
  /// - Returns: Whether the caller is the runner, who now asks ``next()`` until it is done.
  package mutating func submit(_ new: Wish) -> Bool {
    wish = new
    guard rounds == nil else { return false }
    rounds = 0
    return true
  }

  /// What the runner does next.
  package mutating func next() -> Step {
    guard let next = wish.take(), let done = rounds else {
      rounds = nil
      return .done
    }
    guard done < Self.maximumRounds else {
      rounds = nil
      return .givenUp(next)
    }
    rounds = done + 1
    return .run(next)
  }
}
