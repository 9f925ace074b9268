/// What one change to an observer list unlinked: usually one or two things, without an allocation.
package struct Retirees: Sendable {
  private var first: Retired?
  private var second: Retired?
  private var others: [Retired] = []

  /// Nothing.
  package init() {}

  /// Whether nothing was unlinked.
  package var isEmpty: Bool { first == nil }

  /// Adds one thing.
  package mutating func append(_ item: Retired) {
    if first == nil {
      first = item
    } else if second == nil {
      second = item
    } else {
      others.append(item)
    }
  }

  /// Adds all that another change unlinked.
  package mutating func append(contentsOf others: Retirees) { others.forEach { append($0) } }

  /// Calls a closure with each thing, in the order it was added.
  package func forEach(_ body: (Retired) -> Void) {
    if let first { body(first) }
    if let second { body(second) }
    for item in others { body(item) }
  }
}
