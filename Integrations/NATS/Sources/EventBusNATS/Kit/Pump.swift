internal import Dispatch
private import Synchronization

/// Runs one piece of work on its own queue, again after each wake.
///
/// However often it is woken before the work begins, the work runs once.
final class Pump: Sendable {
  private let queue: DispatchQueue
  private let isWoken = Atomic<Bool>(false)
  private let work: @Sendable () -> Void

  /// Creates a pump.
  ///
  /// - Parameters:
  ///   - label: The name of the queue.
  ///   - work: The work. It must not keep the pump's owner.
  init(_ label: String, work: @escaping @Sendable () -> Void) {
    queue = DispatchQueue(label: label)
    self.work = work
  }

  /// Runs the work soon.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.async {
      self.isWoken.store(false, ordering: .sequentiallyConsistent)
      self.work()
    }
  }

  /// Runs a closure on the queue.
  func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Runs a closure on the queue after a time.
  func enqueue(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
    let nanoseconds = Int(clamping: pause.nanoseconds)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
  }
}

extension Pump {
  /// Waits until the work requested before is done.
  func pass() async {
    await withCheckedContinuation { continuation in
      enqueue { continuation.resume() }
    }
  }
}
