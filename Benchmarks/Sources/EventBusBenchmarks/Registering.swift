import Harness

/// Registering and cancelling.
enum Registering {
  static let rows =
    [
      others("register + cancel, alone", 0),
      others("register + cancel, 1,000 others", 1_000),
      others("register + cancel, 100,000 others", 100_000),
      beside("register + cancel beside an old one, first 100,000", 0),
      beside("register + cancel beside an old one, after 1,000,000", 1_000_000),
      dropping("drop 100,000 tokens, in order", order: Array(0..<dropped)),
      dropping(
        "drop 100,000 tokens, shuffled",
        order: shuffled
      ),
    ]

  private static let dropped = 100_000

  /// Always the same order, for every subject and every run.
  private static let shuffled: [Int] = {
    var generator = Generator(state: 42)
    return Array(0..<dropped).shuffled(using: &generator)
  }()

  private static func others(_ title: String, _ count: Int) -> Row {
    Row(
      Figure(title),
      entries: [
        coming(EventBusPeer.self, count), coming(SignalPeer.self, count),
        coming(NotificationCenterPeer.self, count), coming(TypedCenterPeer.self, count),
        coming(OpenCombinePeer.self, count),
      ]
    )
  }

  /// Short-lived registrations beside a permanent one, after many earlier ones.
  private static func beside(_ title: String, _ former: Int) -> Row {
    Row(
      Figure(title),
      pace: .single,
      entries: [
        Entry(.eventBus) {
          { _ in
            let (peer, sink, rounds) = (opaque(EventBusPeer()), opaque(Sink()), 100_000)
            peer.add(sink)
            for _ in 0..<former { peer.cancel(peer.register(sink)) }
            return nanoseconds {
              for _ in 0..<rounds { peer.cancel(peer.register(sink)) }
            } / Double(rounds)
          }
        }
      ]
    )
  }

  private static func coming<P: CancellingPeer>(_: P.Type, _ others: Int) -> Entry {
    .timed(P.subject) {
      let peer = opaque(P())
      let sink = opaque(Sink())
      for _ in 0..<others { peer.add(sink) }
      return { iterations in
        for _ in 0..<iterations { peer.cancel(peer.register(sink)) }
      }
    }
  }

  private static func dropping(_ title: String, order: [Int]) -> Row {
    Row(
      Figure(title, .milliseconds),
      pace: .single,
      entries: [
        dropping(EventBusPeer.self, order), dropping(SignalPeer.self, order),
        dropping(NotificationCenterPeer.self, order), dropping(TypedCenterPeer.self, order),
        dropping(OpenCombinePeer.self, order),
      ]
    )
  }

  private static func dropping<P: CancellingPeer>(_: P.Type, _ order: [Int]) -> Entry {
    Entry(P.subject) {
      { _ in
        let peer = opaque(P())
        var registrations: [P.Registration?] = order.map { _ in peer.registerIdle() }
        return nanoseconds {
          for index in order {
            if let registration = registrations[index].take() { peer.drop(registration) }
          }
        }
      }
    }
  }
}

/// A small generator of pseudorandom numbers: SplitMix64.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
