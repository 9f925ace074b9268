/// First in, first out, with a limit.
///
/// A plain value. Taking from the front leaves room that is reused when the queue becomes empty or when
/// it is more than half of the storage.
@usableFromInline
package struct BoundedQueue<Element> {
  @usableFromInline
  internal var storage: [Element?] = []
  @usableFromInline
  internal var head = 0
  @usableFromInline
  internal let limit: BufferLimit

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
