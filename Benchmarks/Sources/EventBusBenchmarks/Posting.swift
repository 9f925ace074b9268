import Harness

/// Posting on one thread to observers that are always there.
enum Posting {
  static let rows = [
    Row(
      Figure("post, 0 observers"),
      // Without the closure loop: a loop over nothing does no work at all.
      entries: entries(observers: 0)
    ),
    Row(
      Figure("post, the only observer gone"),
      entries: [
        abandoned(EventBusPeer.self), abandoned(SignalPeer.self),
        abandoned(NotificationCenterPeer.self), abandoned(TypedCenterPeer.self),
        abandoned(OpenCombinePeer.self),
      ]
    ),
    Row(
      Figure("post, 1 observer"),
      entries: entries(observers: 1) + [entry(ClosureLoopPeer.self, 1)]
    ),
    Row(
      Figure("post, 10 observers"),
      Figure("per delivery at 10", per: 10),
      entries: entries(observers: 10) + [entry(ClosureLoopPeer.self, 10)]
    ),
    Row(
      Figure("post, 1,000 observers"),
      Figure("per delivery at 1,000", per: 1_000),
      entries: entries(observers: 1_000) + [entry(ClosureLoopPeer.self, 1_000)]
    ),
  ]

  private static func entries(observers: Int) -> [Entry] {
    [
      entry(EventBusPeer.self, observers), entry(SignalPeer.self, observers),
      entry(NotificationCenterPeer.self, observers), entry(PayloadCenterPeer.self, observers),
      entry(TypedCenterPeer.self, observers), entry(OpenCombinePeer.self, observers),
    ]
  }

  /// Posts to observers that were there before.
  static func entry<P: Peer>(_: P.Type, _ observers: Int) -> Entry {
    .timed(P.subject) {
      let peer = opaque(P())
      let sink = opaque(Sink())
      peer.addElsewhere(opaque(Sink()))
      for _ in 0..<observers { peer.add(sink) }
      return { iterations in
        let before = sink.total
        peer.post(times: iterations)
        expectDeliveries(sink.total - before, iterations * observers, by: P.subject)
      }
    }
  }

  /// Posts without an observer, although one was registered before.
  private static func abandoned<P: CancellingPeer>(_: P.Type) -> Entry {
    .timed(P.subject) {
      let peer = opaque(P())
      peer.addElsewhere(opaque(Sink()))
      peer.cancel(peer.register(opaque(Sink())))
      return { iterations in peer.post(times: iterations) }
    }
  }
}

/// Ends the program if a subject did not deliver what was posted: its time would mean nothing.
func expectDeliveries(_ actual: Int, _ expected: Int, by subject: Subject) {
  guard actual != expected else { return }
  // Reason: not `precondition`, whose message an optimized build leaves out.
  fatalError("\(subject.name) made \(actual) of \(expected) deliveries.")
}
