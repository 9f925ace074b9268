internal import Synchronization

/// Counts objects that were made and freed.
public final class Tally: Sendable {
  private let made = Atomic<Int>(0)
  private let gone = Atomic<Int>(0)

  /// Creates a tally of nothing.
  public init() {}

  /// The number of probes made.
  public var created: Int { made.load(ordering: .acquiring) }

  /// The number of freed probes.
  public var freed: Int { gone.load(ordering: .acquiring) }

  /// The number of live probes.
  public var live: Int { created - freed }

  /// Makes an object that is counted until it is freed.
  public func probe() -> Probe { Probe(self) }

  /// An object that is counted while it lives: for a handler to capture.
  public final class Probe: Sendable {
    private let tally: Tally

    fileprivate init(_ tally: Tally) {
      self.tally = tally
      tally.made.add(1, ordering: .acquiringAndReleasing)
    }

    deinit { tally.gone.add(1, ordering: .acquiringAndReleasing) }

    /// Keeps the object in the closure that says so.
    public func touch() {}
  }
}
