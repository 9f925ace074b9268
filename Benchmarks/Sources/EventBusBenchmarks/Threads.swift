import Harness

/// Two threads that post to one event, against one thread that does.
enum Threads {
  static let rows = [
    row("two threads ÷ one, 0 observers", 0),
    row("two threads ÷ one, 1 observer", 1),
    row("two threads ÷ one, 10 observers", 10),
  ]

  private static func row(_ title: String, _ observers: Int) -> Row {
    let loops = observers == 0 ? [] : [entry(ClosureLoopPeer.self, observers)]
    return Row(
      Figure(title, .multiple, goals: [.atLeast(1.7)]),
      pace: .long,
      entries: [
        entry(EventBusPeer.self, observers), entry(SignalPeer.self, observers),
        entry(NotificationCenterPeer.self, observers), entry(OpenCombinePeer.self, observers),
      ] + loops
    )
  }

  /// The throughput of two threads in multiples of the throughput of one, measured one after the other.
  private static func entry<P: Peer>(_: P.Type, _ observers: Int) -> Entry {
    Entry(P.subject) {
      let peer = opaque(P())
      for _ in 0..<observers { peer.addIdle() }
      return { iterations in
        let alone = Race.nanoseconds(threads: 1) { peer.post(times: iterations) }
        let together = Race.nanoseconds(threads: 2) { peer.post(times: iterations) }
        return 2 * alone / together
      }
    }
  }
}
