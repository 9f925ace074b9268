import EventBus

/// Somebody who posts.
final class SampleSender: Sendable {
  /// Creates objects and lets them go until one takes the place of another that was let go.
  ///
  /// - Parameters:
  ///   - meet: Called with each object before it goes.
  ///   - replace: Called with an object at the address of one that has gone, once.
  /// - Returns: Whether an address came back.
  static func replaceAtSameAddress(
    meet: (SampleSender) -> Void,
    replace: (SampleSender) -> Void
  ) -> Bool {
    var gone: Set<ObjectIdentifier> = []
    var kept: [SampleSender] = []
    for _ in 0..<1_000 {
      let sender = SampleSender()
      if gone.contains(ObjectIdentifier(sender)) {
        replace(sender)
        return true
      }
      meet(sender)
      gone.insert(ObjectIdentifier(sender))
      if kept.count < 8 { kept.append(SampleSender()) }
    }
    withExtendedLifetime(kept) {}
    return false
  }
}

/// Posts a number in its own name when it dies.
final class SampleLeaver: Sendable {
  private let post: @Sendable (SampleLeaver) -> Void

  init(_ post: @escaping @Sendable (SampleLeaver) -> Void) { self.post = post }

  deinit { post(self) }
}
