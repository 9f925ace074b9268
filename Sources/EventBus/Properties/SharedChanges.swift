/// A shared property's value and the changes that are still to be delivered.
///
/// A plain value: the shell holds it behind its lock. Changes are numbered in the order they were made
/// and delivered by one thread at a time in that order, so that every observer sees an unbroken chain.
internal struct SharedChanges<Value> {
  /// One change on its way.
  internal struct Round {
    /// The change.
    let change: Change<Value>
    /// Its place among the changes that were recorded.
    let number: UInt
    /// How many observers, each called for the change before, have led to it.
    let depth: Int
  }

  /// The value now.
  internal var value: Value
  /// The number of the newest change that was recorded.
  internal private(set) var newest: UInt = 0
  private var waiting = BoundedQueue<Round>()
  /// The thread that delivers, or zero.
  private var deliverer: UInt = 0
  private var depth = 0

  internal init(_ value: Value) { self.value = value }

  /// Records a change.
  ///
  /// - Parameters:
  ///   - old: The value before; the value now is the one after.
  ///   - thread: Who made it.
  /// - Returns: Whether that thread is to deliver, beginning with ``next()``; if not, another one is
  ///   delivering, or it is itself further out.
  internal mutating func record(from old: Value, by thread: UInt) -> Bool {
    newest += 1
    let isNested = deliverer == thread
    let round = Round(
      change: Change(.set, old: old, new: value),
      number: newest,
      depth: isNested ? depth + 1 : 0
    )
    _ = waiting.append(round)
    if deliverer != 0 { return false }
    deliverer = thread
    return true
  }

  /// The next change to be delivered; nothing ends the delivering.
  internal mutating func next() -> Round? {
    guard let round = waiting.popFirst() else {
      deliverer = 0
      return nil
    }
    depth = round.depth
    return round
  }
}

extension SharedChanges: Sendable where Value: Sendable {}
extension SharedChanges.Round: Sendable where Value: Sendable {}
