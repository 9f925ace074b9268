import EventBus

/// A model with observed collections, outside every actor.
final class Shelf {
  @Observed var items: [Int] = []
  @Observed var slice: ArraySlice<Int> = []

  /// The properties themselves, for tests that act on them.
  var itemsProperty: Observed<[Int]> { _items }
  var sliceProperty: Observed<ArraySlice<Int>> { _slice }

  init(_ items: [Int] = []) { self.items = items }
}

extension Array {
  /// Applies a splice to an array.
  mutating func apply(_ splice: Splice<Element>) {
    replaceSubrange(splice.range, with: splice.inserted)
  }

  /// Applies splices to an array, in order, after checking that the removed elements match.
  mutating func apply(_ splices: [Splice<Element>], _ isSame: (Element, Element) -> Bool) -> Bool {
    for splice in splices {
      guard splice.removed.elementsEqual(self[splice.range], by: isSame) else { return false }
      apply(splice)
    }
    return true
  }
}

extension Splice {
  /// `+3[7]` for an insertion, `-3[7]` for a removal, `=3[7→8]` for a replacement.
  var text: String {
    switch kind {
    case .insertion: "+\(range.lowerBound)\(inserted)"
    case .removal: "-\(range.lowerBound)\(removed)"
    case .replacement: "=\(range.lowerBound)\(removed)→\(inserted)"
    }
  }
}

extension CollectionChange {
  /// The splices, or the kind of the change if it has none.
  var text: String {
    switch kind {
    case .initial: "initial"
    case .splices: splices.map(\.text).joined(separator: " ")
    case .set: "set"
    }
  }
}
