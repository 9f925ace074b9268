/// A set of small numbers from which the lowest is taken first.
///
/// A plain value: a bit for each number, because the ranks of a launch are dense.
package struct RankSet: Sendable {
  private var words: [UInt] = []
  /// The index of the first word with a bit that is set; the number of words if there is none.
  private var start = 0

  /// Creates an empty set.
  package init() {}

  /// The lowest number.
  ///
  /// - Complexity: O(1).
  package var first: Int? {
    start < words.count ? start * UInt.bitWidth + words[start].trailingZeroBitCount : nil
  }

  /// Inserts a number.
  ///
  /// - Complexity: O(1), and memory for a bit for each number up to it.
  package mutating func insert(_ number: Int) {
    let word = number / UInt.bitWidth
    start = first == nil ? word : min(start, word)
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt(number % UInt.bitWidth)
  }

  /// Removes and returns the lowest number.
  ///
  /// - Complexity: Amortized O(1) while higher numbers are inserted than were removed; otherwise a word for each 64
  ///   numbers between two that are set.
  package mutating func popFirst() -> Int? {
    guard let first else { return nil }
    words[start] &= words[start] - 1
    while start < words.count, words[start] == 0 { start += 1 }
    return first
  }
}
