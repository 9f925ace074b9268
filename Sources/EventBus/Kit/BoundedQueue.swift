/// A first-in, first-out queue with an optional limit.
///
/// A plain value. Removals from the front leave a gap. The queue reclaims it when it becomes empty, or when
/// the gap is longer than 32 elements and more than half of the storage.
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

  /// A Boolean value that indicates whether a full queue discards new elements instead of waiting ones.
  @inlinable
  package var keepsOldest: Bool {
    if case .oldest = limit { true } else { false }
  }

  /// The number of elements.
  @inlinable
  package var count: Int { storage.count - head }

  /// A Boolean value that indicates whether the queue has no elements.
  @inlinable
  package var isEmpty: Bool { head == storage.count }

  /// Adds an element at the end.
  ///
  /// - Returns: The discarded element, which is the new one or the first, or `nil` when there was room. The
  ///   caller releases it outside its lock.
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

  /// The elements, oldest first.
  package var elements: [Element] { storage[head...].compactMap(\.self) }

  /// The first element.
  package var first: Element? { head < storage.count ? storage[head] : nil }

  /// Removes and returns the first element.
  ///
  /// - Complexity: Amortized O(1).
  @inlinable
  package mutating func popFirst() -> Element? {
    guard head < storage.count, let first = storage[head].take() else { return nil }
    head += 1
    reclaim()
    return first
  }

  /// Removes and returns the last element.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func popLast() -> Element? {
    guard head < storage.count, let last = storage.removeLast() else { return nil }
    reclaim()
    return last
  }

  /// Removes all elements.
  ///
  /// - Returns: The elements, oldest first. The caller releases them outside its lock.
  package mutating func removeAll() -> [Element] {
    let all = elements
    storage = []
    head = 0
    return all
  }

  /// Removes the elements that satisfy a predicate.
  ///
  /// - Returns: The elements, oldest first. The caller releases them outside its lock.
  /// - Complexity: O(*n*) in the number of elements.
  package mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    var end = head
    for index in head..<storage.count {
      guard let element = storage[index].take() else { continue }
      if isMeant(element) {
        removed.append(element)
      } else {
        storage[end] = element
        end += 1
      }
    }
    storage.removeSubrange(end...)
    reclaim()
    return removed
  }

  /// Stops the program if an element is in the gap, the gap is too long, or there are too many elements.
  package func _checkInvariants() {
    assert(storage[..<head].allSatisfy { $0 == nil }, "an element in the gap")
    assert(storage[head...].allSatisfy { $0 != nil }, "a gap among the elements")
    assert(head <= max(32, storage.count / 2), "the gap is too long")
    assert(!isEmpty || head == 0, "an empty queue has a gap")
    switch limit {
    case .oldest(let size), .newest(let size): assert(count <= size, "too many elements")
    case .unlimited: break
    }
  }

  @inlinable
  mutating func reclaim() {
    if head == storage.count {
      storage.removeAll(keepingCapacity: storage.capacity <= 64)
      head = 0
    } else if head > 32, head > storage.count / 2 {
      storage.removeSubrange(..<head)
      head = 0
    }
  }
}

extension BoundedQueue: Sendable where Element: Sendable {}

extension BoundedQueue where Element: AnyObject {
  /// The address of the last element, which is not retained; zero if the queue is empty.
  package var addressOfLast: UInt { ObjectAddress.of(isEmpty ? nil : storage[storage.count - 1]) }
}
