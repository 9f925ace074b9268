/// The consumers of a stream that wait, in the order they came.
///
/// A plain value, made for one of them: it stands apart, so that it costs no array.
@usableFromInline
package struct StreamWaiters<Element: Sendable>: Sendable {
  /// Nothing only if nobody waits.
  @usableFromInline
  internal var first: StreamWaiter<Element>?
  @usableFromInline
  internal var others: [StreamWaiter<Element>] = []
  @usableFromInline
  internal var lastNumber: UInt = 0

  /// Nobody.
  internal init() {}

  /// A number for a consumer that is about to wait.
  @inlinable
  internal mutating func newNumber() -> UInt {
    lastNumber &+= 1
    return lastNumber
  }

  /// Adds a consumer behind all others.
  @inlinable
  internal mutating func append(_ waiter: StreamWaiter<Element>) {
    if first == nil { first = waiter } else { others.append(waiter) }
  }

  /// Takes the first out.
  ///
  /// - Complexity: O(*n*) in the number of those who wait.
  @inlinable
  internal mutating func popFirst() -> StreamWaiter<Element>? {
    guard let waiter = first else { return nil }
    first = others.isEmpty ? nil : others.removeFirst()
    return waiter
  }

  /// Takes the one with a number out, if it waits.
  ///
  /// - Complexity: O(*n*) in the number of those who wait.
  @inlinable
  internal mutating func remove(_ number: UInt) -> StreamWaiter<Element>? {
    if first?.number == number { return popFirst() }
    return others.firstIndex { $0.number == number }.map { others.remove(at: $0) }
  }

  /// Takes all of them out.
  internal mutating func removeAll() -> [StreamWaiter<Element>] {
    let all = [first].compactMap(\.self) + others
    (first, others) = (nil, [])
    return all
  }
}
