import EventBus

/// A model with observed collections, outside every actor.
final class Shelf {
  @Observed var items: [Int] = []
  @Observed var slice: ArraySlice<Int> = []
  @Observed var tags: Set<String> = []
  @Observed var prices: [String: Int] = [:]

  init(_ items: [Int] = []) { self.items = items }
}

extension Array {
  /// Does to an array what a splice says.
  mutating func apply(_ splice: Splice<Element>) {
    replaceSubrange(splice.range, with: splice.inserted)
  }

  /// Does to an array what splices say, in order, after looking at whether what goes is what they say.
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
  /// The splices, or what the change is instead.
  var text: String {
    switch kind {
    case .initial: "initial"
    case .splices: splices.map(\.text).joined(separator: " ")
    case .setting: "setting"
    }
  }
}
