/// A list in insertion order, with removal by ticket.
///
/// A plain value. Removals leave gaps, which are compacted when they outnumber the elements: after any
/// removal the storage has at most max(8, 2 × ``count``) slots.
package struct TicketList<Element> {
  /// The identifier of one insertion, never reused.
  package struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt
  }

  private var slots: [(number: UInt, element: Element?)] = []
  private var nextNumber: UInt = 0

  /// The number of elements.
  package private(set) var count = 0

  /// The number of slots, including gaps.
  package var slotCount: Int { slots.count }

  /// Creates an empty list.
  package init() {}

  /// The elements, oldest first.
  package var elements: [Element] { slots.compactMap(\.element) }

  /// Calls a closure with every element, oldest first.
  package func forEach(_ body: (Element) -> Void) {
    for slot in slots {
      if let element = slot.element { body(element) }
    }
  }

  /// Adds an element at the end.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element) -> Ticket {
    defer { nextNumber += 1 }
    slots.append((number: nextNumber, element: element))
    count += 1
    return Ticket(number: nextNumber)
  }

  /// Removes the element of a ticket.
  ///
  /// - Returns: The element, or `nil` if it was removed before. The caller releases it outside its lock.
  /// - Complexity: O(log *n*), amortized.
  package mutating func remove(_ ticket: Ticket) -> Element? {
    guard let index = index(of: ticket), let element = slots[index].element.take() else {
      return nil
    }
    count -= 1
    if slots.count > max(8, 2 * count) { slots.removeAll { $0.element == nil } }
    return element
  }

  /// Removes all elements.
  ///
  /// - Returns: The elements, oldest first.
  package mutating func removeAll() -> [Element] {
    let all = elements
    slots = []
    count = 0
    return all
  }

  private func index(of ticket: Ticket) -> Int? {
    var low = 0
    var high = slots.count
    while low < high {
      let middle = low + (high - low) / 2
      if slots[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    return low < slots.count && slots[low].number == ticket.number ? low : nil
  }
}

extension TicketList: Sendable where Element: Sendable {}
