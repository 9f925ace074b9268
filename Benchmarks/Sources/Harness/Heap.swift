internal import HeapCounter

/// The operations on the heap during some work.
public struct Heap: Sendable {
  /// The number of allocations.
  public let allocations: Int
  /// The bytes allocated less the bytes freed, as the allocator rounds them, including its header.
  public let bytes: Int
  /// The number of retains and releases of the Swift runtime; 0 if they were not to be counted.
  public let retainsAndReleases: Int

  /// Whether this platform's heap can be counted.
  ///
  /// Creates an object and checks that the counter saw it, so that a zero elsewhere can be trusted.
  public static let isCounted: Bool = {
    guard heap_counter_is_available() else { return false }
    var kept: [Probe] = []
    let seen = during { _ in kept.append(opaque(Probe())) }
    return withExtendedLifetime(kept) { seen.allocations > 0 && seen.bytes > 0 }
  }()

  /// Counts while some work runs, in the whole process.
  ///
  /// - Parameters:
  ///   - references: Whether to also count retains and releases, which makes the work much slower.
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
