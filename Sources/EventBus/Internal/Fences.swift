/// What waits until the readers have left that were inside when something was unlinked.
///
/// A plain value: one latch for all fences of one stamp, so that it is as small however many wait, and
/// whether or not they are cancelled. Kept behind the lock of the ``Limbo`` that it accompanies.
package struct Fences: Sendable {
  private struct Fence: Sendable {
    let stamp: UInt
    let latch: Latch
  }

  private var fences: [Fence] = []

  /// Nothing waits.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { fences.isEmpty }

  /// How many latches there are: after ``takeFree(at:)`` at most two, one for each stamp that still waits.
  package var count: Int { fences.count }

  /// The latch that is opened when everything of a stamp has been freed.
  ///
  /// - Parameter stamp: The epoch, read after the unlinking.
  /// - Returns: The one latch of the stamp, made if there is none.
  /// - Complexity: O(1): there are at most three.
  package mutating func latch(stamped stamp: UInt) -> Latch {
    if let known = fences.first(where: { $0.stamp == stamp }) { return known.latch }
    let latch = Latch()
    fences.append(Fence(stamp: stamp, latch: latch))
    return latch
  }

  /// Takes out the latches of what no reader can hold any more.
  ///
  /// - Parameter epoch: The epoch now.
  /// - Returns: The latches, for the caller to open outside its lock.
  package mutating func takeFree(at epoch: UInt) -> [Latch] {
    if fences.isEmpty { return [] }
    let free = fences.filter { Epochs.mayFree(stamped: $0.stamp, at: epoch) }
    if !free.isEmpty { fences.removeAll { Epochs.mayFree(stamped: $0.stamp, at: epoch) } }
    return free.map(\.latch)
  }
}
