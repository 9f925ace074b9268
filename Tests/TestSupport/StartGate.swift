internal import Synchronization

/// Holds threads back until all of them have arrived, so that what they do next overlaps.
public final class StartGate: Sendable {
  private let missing: Atomic<Int>

  /// Creates a gate that waits for a number of threads.
  public init(_ count: Int) { missing = Atomic(count) }

  /// Announces one thread and returns when the last one is there.
  public func arriveAndWait() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { yieldThread() }
  }
}
