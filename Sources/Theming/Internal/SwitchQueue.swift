/// Decides which switches come next when switches are asked for while one is running.
///
/// A plain value. The first caller becomes the runner and does one round after the other; whoever
/// asks meanwhile leaves a wish. A round takes all the wishes there are: for each target, the last.
/// Wishes that never end are given up.
package struct SwitchQueue<Target: Hashable, Wish> {
  /// What the runner does next.
  package enum Step {
    /// One round: these wishes, in this order.
    case run([Wish])
    /// Nothing is left; the queue is idle again.
    case done
    /// The rounds are used up and there are still wishes. They are dropped; the queue is idle again.
    case givenUp([Wish])
  }

  /// How many rounds one runner does.
  package static var maximumRounds: Int { 16 }

  private var wishes: [(target: Target, wish: Wish)] = []
  private var rounds: Int?

  /// Whether there is a runner.
  package var isRunning: Bool { rounds != nil }

  /// Creates an idle queue.
  package init() {}

  /// Leaves a wish in place of the last one for the same target.
  ///
  /// - Parameters:
  ///   - new: The wish.
  ///   - target: What is to be switched.
  /// - Returns: Whether the caller is the runner, who now asks ``next()`` until it is done; and the
  ///   wish that was replaced, for the caller to let go of when the queue is whole again.
  /// - Complexity: O(*n*) in the number of targets that have a wish.
  package mutating func submit(
    _ new: Wish,
    for target: Target
  ) -> (isRunner: Bool, former: Wish?) {
    var former: Wish?
    if let place = wishes.firstIndex(where: { $0.target == target }) {
      former = wishes[place].wish
      wishes[place].wish = new
    } else {
      wishes.append((target, new))
    }
    guard rounds == nil else { return (false, former) }
    rounds = 0
    return (true, former)
  }

  /// The wish for a target that waits for the next round, if there is one.
  ///
  /// - Complexity: O(*n*) in the number of targets that have a wish.
  package func wish(for target: Target) -> Wish? { wishes.first { $0.target == target }?.wish }

  /// What the runner does next.
  package mutating func next() -> Step {
    guard !wishes.isEmpty, let done = rounds else {
      rounds = nil
      return .done
    }
    let round = wishes.map(\.wish)
    wishes = []
    guard done < Self.maximumRounds else {
      rounds = nil
      return .givenUp(round)
    }
    rounds = done + 1
    return .run(round)
  }
}
