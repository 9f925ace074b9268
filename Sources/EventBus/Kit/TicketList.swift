/// A list in the order of insertion whose elements are removed by ticket.
///
/// A plain value. Removal leaves a gap; gaps are closed when they outnumber the elements, so the
/// storage is at most max(8, 2 × ``count``) places after any removal.
package struct TicketList<Element> {
  /// Names one insertion; never used again.
  package struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt
  }

  fileprivate struct Place {
    let number: UInt
    var element: Element?
  }

  private var places: [Place] = []
  private var nextNumber: UInt = 0

  /// How many elements there are.
  package private(set) var count = 0

  /// How many places they take, gaps included.
  package var placeCount: Int { places.count }

  /// Creates an empty list.
  package init() {}

  /// The elements, oldest first.
  package var elements: [Element] { places.compactMap(\.element) }

  /// Calls a closure with every element, oldest first.
  package func forEach(_ body: (Element) -> Void) {
    for place in places {
      if let element = place.element { body(element) }
    }
  }

  /// Adds an element behind all others.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func append(_ element: Element) -> Ticket {
    defer { nextNumber += 1 }
    places.append(Place(number: nextNumber, element: element))
    count += 1
    return Ticket(number: nextNumber)
  }

  /// Removes the element of a ticket.
  ///
  /// - Returns: The element, for the caller to let go outside its lock; `nil` if it was removed before.
  /// - Complexity: O(log *n*), amortized.
  package mutating func remove(_ ticket: Ticket) -> Element? {
    guard let index = index(of: ticket), let element = places[index].element.take() else {
      return nil
    }
    count -= 1
    if places.count > max(8, 2 * count) { places.removeAll { $0.element == nil } }
    return element
  }

  /// Removes everything.
  ///
  /// - Returns: The elements, oldest first.
  package mutating func removeAll() -> [Element] {
    let all = elements
    places = []
    count = 0
    return all
  }

  private func index(of ticket: Ticket) -> Int? {
    var low = 0
    var high = places.count
    while low < high {
      let middle = low + (high - low) / 2
      if places[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    return low < places.count && places[low].number == ticket.number ? low : nil
  }
}

extension TicketList: Sendable where Element: Sendable {}
extension TicketList.Place: Sendable where Element: Sendable {}
