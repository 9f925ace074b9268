import Harness

/// The allocations, retains and releases of a post.
///
/// Counts, not times: equal in every run, however busy the machine is.
enum Counts {
  static let rows = [
    Row(
      Figure("allocations per post, most of all cases", .count, mustBeZero: true),
      pace: .counted,
      entries: entries(Case.all) { post in Heap.during { _ in post() }.allocations }
    ),
    references("retains and releases per post, 10 observers", .observers(10)),
    references("retains and releases per post, 10 weak owners", .owners(10)),
  ]

  private static let posts = 100

  /// The observers that the posts reach.
  private enum Case {
    case observers(Int)
    case owners(Int)

    static let all: [Case] = [
      .observers(0), .observers(1), .observers(10), .observers(1_000), .owners(10), .owners(1_000),
    ]
  }

  /// Runs the given work and counts.
  private typealias Counter = @Sendable (() -> Void) -> Int

  private static func references(_ title: String, _ reached: Case) -> Row {
    Row(
      Figure(title, .count),
      pace: .counted,
      entries: entries([reached]) { post in
        Heap.during(countingReferences: true) { _ in post() }.retainsAndReleases
      }
    )
  }

  private static func entries(_ cases: [Case], _ counter: @escaping Counter) -> [Entry] {
    [
      entry(EventBusPeer.self, cases, counter), entry(SignalPeer.self, cases, counter),
      entry(NotificationCenterPeer.self, cases, counter),
      entry(TypedCenterPeer.self, cases, counter),
      entry(OpenCombinePeer.self, cases, counter), entry(ClosureLoopPeer.self, cases, counter),
    ]
  }

  private static func entry<P: Peer>(
    _: P.Type,
    _ cases: [Case],
    _ counter: @escaping Counter
  ) -> Entry {
    Entry(P.subject) {
      { _ in
        let counts = cases.map { Double(count(P.self, $0, counter)) / Double(posts) }
        return counts.max() ?? 0
      }
    }
  }

  private static func count<P: Peer>(_: P.Type, _ reached: Case, _ counter: Counter) -> Int {
    let peer = opaque(P())
    let sinks: [Sink]
    switch reached {
    case .observers(let count):
      sinks = [Sink()]
      for _ in 0..<count { peer.add(sinks[0]) }
    case .owners(let count):
      sinks = (0..<count).map { _ in Sink() }
      for sink in sinks { peer.add(weakly: sink) }
    }
    // Work of the first post only, such as creating a table, does not count.
    peer.post(times: 1)
    return withExtendedLifetime(sinks) { counter { peer.post(times: posts) } }
  }
}
