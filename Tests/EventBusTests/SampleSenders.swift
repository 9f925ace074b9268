import EventBus

/// An object that posts.
final class SampleSender: Sendable {
  /// Creates and releases objects until one has the address of a released one.
  ///
  /// - Parameters:
  ///   - meet: Called with each object before its release.
  ///   - replace: Called once, with an object at the address of a released one.
  /// - Returns: Whether an address was reused.
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
