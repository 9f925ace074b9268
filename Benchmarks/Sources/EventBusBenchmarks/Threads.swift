import Harness

/// Two threads that post, against one thread that does.
///
/// The first row is the control: threads that share nothing should come near 2. Where they do not,
/// the machine was too busy to run two threads at once, and the other rows mean nothing either.
enum Threads {
  static let rows = [
    row("two threads ÷ one, each with its own, 1 observer", peers: 2, observers: 1),
    row("two threads ÷ one, 0 observers", observers: 0),
    row("two threads ÷ one, 1 observer", observers: 1),
    row("two threads ÷ one, 10 observers", observers: 10),
  ]

  private static func row(
    _ title: String,
    peers: Int = 1,
    observers: Int
  ) -> Row {
    // A loop over nothing does no work.
    let loops = observers == 0 ? [] : [entry(ClosureLoopPeer.self, peers, observers)]
    return Row(
      Figure(title, .multiple),
      pace: .long,
      entries: [
        entry(EventBusPeer.self, peers, observers), entry(SignalPeer.self, peers, observers),
        entry(NotificationCenterPeer.self, peers, observers),
        entry(OpenCombinePeer.self, peers, observers),
      ] + loops
    )
  }

  /// The throughput of two threads in multiples of the throughput of one, measured one after the other.
  private static func entry<P: Peer>(_: P.Type, _ count: Int, _ observers: Int) -> Entry {
    Entry(P.subject) {
      var distance: [[Int]] = []
      let peers = (0..<count).map { _ in
        // Two that share nothing should not share a cache line by accident: in between, some blocks of
        // every small size are taken.
        for size in 1...32 { distance += (0..<8).map { _ in Array(repeating: 0, count: size) } }
        let peer = opaque(P())
        for _ in 0..<observers { peer.addIdle() }
        return peer
      }
      consume(distance.count)
      return { iterations in
        let alone = Race.nanoseconds(threads: 1) { _ in peers[0].post(times: iterations) }
        let together = Race.nanoseconds(threads: 2) { thread in
          peers[thread % count].post(times: iterations)
        }
        return 2 * alone / together
      }
    }
  }
}
