public import Synchronization

/// The view of an observer list for readers: two words that lead to its slots.
///
/// Changed only under the list's lock, and read only by announced readers.
@usableFromInline
package struct PublishedLanes: ~Copyable, Sendable {
  /// The block of the only lane, or of one lane while the list is split; zero when there is none.
  @usableFromInline
  let sole = Atomic<UInt>(0)
  /// A block whose slots alternate between a priority and the block of its lane, highest priority first.
  let table = Atomic<UInt>(0)
  /// The number of linked observers.
  @usableFromInline
  package let live = Atomic<Int>(0)

  /// A view without observers.
  package init() {}

  /// Changes the number of observers.
  ///
  /// Called with the list's lock held.
  package borrowing func changeLive(by change: Int) {
    live.store(live.load(ordering: .relaxed) + change, ordering: .releasing)
  }

  /// Calls a closure with every linked observer, by priority and number.
  ///
  /// For announced readers only.
  package borrowing func forEach(_ body: (AnyObserver, _ priority: Int) -> Void) {
    var walk = ObserverWalk(self)
    while walk.address != 0 {
      let priority = walk.priority
      AnyObserver.borrow(walk.address) { body($0, priority) }
      walk.advance()
    }
  }
}
