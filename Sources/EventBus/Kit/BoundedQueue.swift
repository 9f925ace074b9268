/// First in, first out, with a limit.
///
/// A plain value. Taking from the front leaves room that is reused when the queue becomes empty or when
/// it is more than half of the storage.
@usableFromInline
package struct BoundedQueue<Element> {
  @usableFromInline
  var storage: [Element?] = []
  @usableFromInline
  var head = 0
  @usableFromInline
  let limit: BufferLimit

  /// Creates an empty queue.
  @inlinable
  package init(_ limit: BufferLimit = .unlimited) { self.limit = limit }

  /// Whether a full queue discards what comes, rather than what waits.
  @inlinable
  package var keepsOldest: Bool {
    if case .oldest = limit { true } else { false }
  }

  /// How many elements wait.
  @inlinable
  package var count: Int { storage.count - head }

  /// Whether none waits.
  @inlinable
  package var isEmpty: Bool { head == storage.count }

  /// Adds an element behind all others.
  ///
  /// - Returns: The element that had to go: the new one or the first, or `nil` when there was room. The
  ///   caller lets it go outside its lock.
  /// - Complexity: Amortized O(1).
  @inlinable
  package mutating func append(_ element: Element) -> Element? {
    switch limit {
    case .oldest(let size) where count >= size: return element
    case .newest(let size) where count >= size:
      let first = popFirst()
      storage.append(element)
      return first
    default:
      storage.append(element)
      return nil
    }
  }

  /// Takes the first element.
  ///
  /// - Complexity: Amortized O(1).
  @inlinable
  package mutating func popFirst() -> Element? {
    guard head < storage.count, let first = storage[head].take() else { return nil }
    head += 1
    if head == storage.count {
      storage.removeAll(keepingCapacity: storage.capacity <= 64)
      head = 0
    } else if head > 32, head > storage.count / 2 {
      storage.removeSubrange(..<head)
      head = 0
    }
    return first
  }

  /// The first element.
  package var first: Element? { head < storage.count ? storage[head] : nil }

  /// Takes the last element.
  ///
  /// - Complexity: O(1).
  package mutating func popLast() -> Element? {
    guard head < storage.count, let last = storage.removeLast() else { return nil }
    if head == storage.count {
      storage.removeAll(keepingCapacity: storage.capacity <= 64)
      head = 0
    }
    return last
  }

  /// Takes everything.
  ///
  /// - Returns: The elements, oldest first, for the caller to let go outside its lock.
  package mutating func removeAll() -> [Element] {
    let all = storage[head...].compactMap(\.self)
    storage = []
    head = 0
    return all
  }
}

extension BoundedQueue: Sendable where Element: Sendable {}

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
