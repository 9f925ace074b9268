internal import Synchronization

/// Holds threads back until all of them have arrived, so that their next steps overlap.
///
/// The gate can be reused: a thread that arrives a second time waits for the others' second
/// arrival.
public final class StartGate: Sendable {
  private let count: Int
  private let arrivals = Atomic<Int>(0)

  /// Creates a gate that waits for a number of threads.
  public init(_ count: Int) { self.count = count }

  /// Announces one thread and returns when the last one is there.
  public func arriveAndWait() {
    let place = arrivals.add(1, ordering: .acquiringAndReleasing).oldValue
    let roundIsFull = (place / count + 1) * count
    var looks = 0
    while arrivals.load(ordering: .acquiring) < roundIsFull {
      looks += 1
      // Looking without a pause lets the threads set off closer together, if all have a processor.
      if looks > 1_000 { yieldThread() }
    }
  }
}
