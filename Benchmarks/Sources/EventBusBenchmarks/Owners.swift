import Harness

/// Posting to observers that do not keep their owners alive, each with its own owner.
enum Owners {
  static let rows = [
    row("weak owner, per delivery at 10", 10), row("weak owner, per delivery at 1,000", 1_000),
  ]

  private static func row(_ title: String, _ owners: Int) -> Row {
    Row(
      Figure(title, per: owners),
      entries: [
        entry(EventBusPeer.self, owners), entry(SignalPeer.self, owners),
        entry(NotificationCenterPeer.self, owners), entry(TypedCenterPeer.self, owners),
        entry(OpenCombinePeer.self, owners), entry(ClosureLoopPeer.self, owners),
      ]
    )
  }

  private static func entry<P: Peer>(_: P.Type, _ count: Int) -> Entry {
    .timed(P.subject) {
      let peer = opaque(P())
      let owners = opaque((0..<count).map { _ in Sink() })
      for owner in owners { peer.add(weakly: owner) }
      return { iterations in
        let before = owners.reduce(0) { $0 + $1.total }
        peer.post(times: iterations)
        let deliveries = owners.reduce(0) { $0 + $1.total } - before
        expectDeliveries(deliveries, iterations * count, by: P.subject)
      }
    }
  }
}
