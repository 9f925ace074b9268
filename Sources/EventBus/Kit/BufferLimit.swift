/// The number of elements that a queue holds for its consumer, and the element that a full queue discards.
@usableFromInline
package enum BufferLimit: Equatable, Sendable {
  /// Discards nothing.
  case unlimited
  /// Holds at most this many elements; a full queue discards new ones.
  case oldest(Int)
  /// Holds at most this many elements; a full queue discards the oldest.
  case newest(Int)

  /// Converts the buffering policy of an asynchronous stream.
  ///
  /// A size below one would discard every event. It is replaced by one, with a warning.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - site: The call that asks for the buffer.
  ///   - report: Receives the warning.
  package init<Element>(
    _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
    at site: CallSite,
    report: (String) -> Void = printError
  ) {
    switch policy {
    case .unbounded: self = .unlimited
    case .bufferingOldest(let size): self = .oldest(Self.usable(size, site, report))
    case .bufferingNewest(let size): self = .newest(Self.usable(size, site, report))
    @unknown default: self = .unlimited
    }
  }

  private static func usable(
    _ size: Int,
    _ site: CallSite,
    _ report: (String) -> Void
  ) -> Int {
    guard size < 1 else { return size }
    report(
      "EventBus: \(SourceSite(site)): a buffer of \(size) events holds none; using 1. Ask for 1 or more."
    )
    return 1
  }
}
