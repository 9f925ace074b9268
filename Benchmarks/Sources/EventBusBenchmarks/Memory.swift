import Harness

/// The memory that an observer needs.
///
/// Counts, not times: equal in every run, however busy the machine is.
enum Memory {
  static let rows = [
    Row(
      Figure("bytes per observer at 1,000,000", .bytes, per: observers),
      pace: .counted,
      entries: entries(\.held)
    ),
    Row(
      Figure("bytes left after cancelling 1,000,000", .bytes, mustBeZero: true),
      pace: .counted,
      entries: entries(\.left)
    ),
    Row(
      Figure(
        "bytes left after 1,000,000 came and went beside an old one",
        .bytes,
        mustBeZero: true
      ),
      pace: .counted,
      entries: [Entry(.eventBus) { { _ in Double(bytesBesideAnOldOne()) } }]
    ),
  ]

  private static let observers = 1_000_000

  private struct Bytes {
    var held: Int
    var left: Int
  }

  private static func entries(_ bytes: @escaping @Sendable (Bytes) -> Int) -> [Entry] {
    [
      entry(EventBusPeer.self, bytes), entry(SignalPeer.self, bytes),
      entry(NotificationCenterPeer.self, bytes), entry(TypedCenterPeer.self, bytes),
      entry(OpenCombinePeer.self, bytes),
    ]
  }

  private static func entry<P: CancellingPeer>(
    _: P.Type,
    _ bytes: @escaping @Sendable (Bytes) -> Int
  ) -> Entry {
    Entry(P.subject) {
      { _ in Double(bytes(registerAndCancel(P.self))) }
    }
  }

  /// The memory that short-lived registrations beside a permanent one leave, beyond that of the first thousand.
  private static func bytesBesideAnOldOne() -> Int {
    let peer = opaque(EventBusPeer())
    peer.addIdle()
    for _ in 0..<1_000 { peer.cancel(peer.registerIdle()) }
    return Heap.during { _ in
      for _ in 0..<observers { peer.cancel(peer.registerIdle()) }
    }.bytes
  }

  /// The memory of a million observers, and its remainder when all are cancelled and released.
  ///
  /// Every subject's handler captures nothing, so the bytes are those of the registration and of the object
  /// that the caller keeps. The array of registrations exists before and after: it does not count.
  private static func registerAndCancel<P: CancellingPeer>(_: P.Type) -> Bytes {
    let peer = opaque(P())
    var registrations: [P.Registration] = []
    registrations.reserveCapacity(observers)
    var bytes = Bytes(held: 0, left: 0)
    // One-time costs of the first observers, such as tables, do not count.
    turnOver(1_000)
    bytes.left =
      Heap.during { soFar in
        turnOver(observers) { bytes.held = soFar().bytes }
      }.bytes
    return withExtendedLifetime(registrations) { bytes }

    func turnOver(_ count: Int, atTheTop: () -> Void = {}) {
      for _ in 0..<count { registrations.append(peer.registerIdle()) }
      atTheTop()
      while let registration = registrations.popLast() { peer.cancel(registration) }
    }
  }
}
