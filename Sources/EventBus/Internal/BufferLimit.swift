/// How much a queue keeps while its consumer is busy, and what it discards beyond that.
@usableFromInline
package enum BufferLimit: Equatable, Sendable {
  /// Everything.
  case unlimited
  /// The oldest so many; what comes later is discarded.
  case oldest(Int)
  /// The newest so many; what came first is discarded.
  case newest(Int)

  /// Reads the policy of an asynchronous stream.
  ///
  /// A size below one would discard every event: it is refused with a line on standard error, and one
  /// event is kept.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - fileID: Where it was asked for.
  ///   - line: Its line.
  package init<Element>(
    _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
    fileID: StaticString,
    line: UInt
  ) {
    switch policy {
    case .unbounded: self = .unlimited
    case .bufferingOldest(let size): self = .oldest(Self.usable(size, fileID, line))
    case .bufferingNewest(let size): self = .newest(Self.usable(size, fileID, line))
    @unknown default: self = .unlimited
    }
  }

  private static func usable(_ size: Int, _ fileID: StaticString, _ line: UInt) -> Int {
    guard size < 1 else { return size }
    StandardError.print(
      "EventBus: \(fileID):\(line): a buffer of \(size) events keeps none, one is used. Ask for 1 or more."
    )
    return 1
  }
}
