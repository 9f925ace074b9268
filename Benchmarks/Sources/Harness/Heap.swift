internal import HeapCounter

/// What happened on the heap while some work ran.
public struct Heap: Sendable {
  /// How often memory was given out.
  public let allocations: Int
  /// Bytes given out less bytes taken back, as the allocator rounds them, its header included.
  public let bytes: Int
  /// How often the Swift runtime was asked to retain or release; 0 if that was not to be counted.
  public let retainsAndReleases: Int

  /// Whether this platform's heap can be counted.
  ///
  /// Makes an object and looks whether the counter saw it, so that a zero elsewhere is worth something.
  public static let isCounted: Bool = {
    guard heap_counter_is_available() else { return false }
    var kept: [Probe] = []
    let seen = during { _ in kept.append(opaque(Probe())) }
    return withExtendedLifetime(kept) { seen.allocations > 0 && seen.bytes > 0 }
  }()

  /// Counts while some work runs, in the whole process.
  ///
  /// - Parameters:
  ///   - references: Whether to count retains and releases, too, which slows the work down a lot.
  ///   - work: The work. It may read the counts so far.
  /// - Returns: The counts when the work returned.
  public static func during(
    countingReferences references: Bool = false,
    _ work: (_ soFar: () -> Heap) -> Void
  ) -> Heap {
    heap_counter_start(references)
    work { Heap(heap_counter_read()) }
    let counts = heap_counter_read()
    heap_counter_stop()
    return Heap(counts)
  }

  private init(_ counts: heap_counts) {
    allocations = counts.allocations
    bytes = counts.bytes
    retainsAndReleases = counts.retains_and_releases
  }
}

/// An object for the counter to see.
private final class Probe {}
