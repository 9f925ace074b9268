/// Decides which switches come next when switches are asked for while one is running.
///
/// A plain value. The first caller becomes the runner and does one round after the other; whoever
/// asks meanwhile leaves a wish. A round takes all the wishes there are: for each target, the last.
///
/// A wish is led to when the round that is running asked for it. A chain of those has at most
/// ``maximumRounds``: in the last one the caller refuses, before it submits. What was accepted is
/// never dropped. Where only other wishes wait, the chain has ended, and they are left for a later
/// runner.
package struct SwitchQueue<Target: Hashable, Wish> {
  /// What the runner does next.
  package enum Step {
    /// One round: these wishes, in this order.
    case run([Wish])
    /// The chain has ended; the queue is idle again.
    case done
    /// The same, and wishes wait that were not led to: for a turn of their own.
    case resume
  }

  /// How many rounds one runner does.
  package static var maximumRounds: Int { 16 }

  /// The last wish for each target, in the order in which the targets were first named.
  private struct WishList {
    private(set) var wishes: [Target: Wish] = [:]
    private var targets: [Target] = []

    var all: [Wish] { targets.compactMap { wishes[$0] } }

    /// Sets the wish for a target and returns the former one.
    mutating func set(_ new: Wish, for target: Target) -> Wish? {
      let former = wishes.updateValue(new, forKey: target)
      if former == nil { targets.append(target) }
      return former
    }

    /// Forgets the wish for a target; what is left is never set again.
    mutating func drop(_ target: Target) { wishes[target] = nil }
  }

  /// The wishes of the next round.
  private var waiting = WishList()
  /// The wishes of this round that have not begun.
  private var running = WishList()
  /// The targets of the waiting wishes that were led to.
  private var led: Set<Target> = []
  private var rounds: Int?

  /// Whether there is a runner.
  package var isRunning: Bool { rounds != nil }

  /// Whether there are wishes that have not begun.
  package var isWaiting: Bool { !waiting.wishes.isEmpty || !running.wishes.isEmpty }

  /// Whether the running round is the last one, which must not lead to another.
  package var isLastRound: Bool { rounds == Self.maximumRounds }

  /// Creates an idle queue.
  package init() {}

  /// Leaves a wish in place of the last one for the same target.
  ///
  /// - Parameters:
  ///   - new: The wish.
  ///   - target: What is to be switched.
  ///   - isLed: Whether the round that is running asked for it.
  /// - Returns: Whether the caller is the runner, who now asks ``next()`` until it is done; and the
  ///   wish that was replaced, for the caller to let go of when the queue is whole again.
  /// - Complexity: Amortized O(1).
  package mutating func submit(
    _ new: Wish,
    for target: Target,
    isLed: Bool
  ) -> (isRunner: Bool, former: Wish?) {
    let former = waiting.set(new, for: target)
    if isLed { led.insert(target) } else { led.remove(target) }
    guard rounds == nil else { return (false, former) }
    rounds = 0
    return (true, former)
  }

  /// The wish for a target that waits for the next round, if there is one.
  ///
  /// - Complexity: O(1).
  package func wish(for target: Target) -> Wish? { waiting.wishes[target] }

  /// The last wish for a target that has not begun, of this round or the next, if there is one.
  ///
  /// - Complexity: O(1).
  package func lastWish(for target: Target) -> Wish? {
    waiting.wishes[target] ?? running.wishes[target]
  }

  /// Takes note that the wish of this round for a target has begun.
  ///
  /// - Complexity: O(1).
  package mutating func begin(_ target: Target) { running.drop(target) }

  /// Leaves wishes of this round to the next one, where there is no later one for the same target.
  ///
  /// - Complexity: O(*n*).
  package mutating func postpone(_ wishes: [(target: Target, wish: Wish)]) {
    for (target, wish) in wishes where waiting.wishes[target] == nil {
      _ = waiting.set(wish, for: target)
    }
  }

  /// Makes the caller the runner of the wishes that wait, who now asks ``next()`` until it is done.
  ///
  /// - Returns: Whether there are any, and no other runner.
  package mutating func resume() -> Bool {
    guard rounds == nil, isWaiting else { return false }
    rounds = 0
    return true
  }

  /// What the runner does next.
  package mutating func next() -> Step {
    running = WishList()
    guard let done = rounds, done == 0 || !led.isEmpty else {
      rounds = nil
      return isWaiting ? .resume : .done
    }
    swap(&running, &waiting)
    led = []
    rounds = done + 1
    return .run(running.all)
  }
}
