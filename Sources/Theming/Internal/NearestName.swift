/// Finds the name that somebody probably meant.
///
/// The distance of two names is the number of letters to insert, remove, replace, or exchange with
/// their neighbour, to make one of the other (the restricted Damerau–Levenshtein distance). Case does
/// not count. A name is near when no more than a third of its letters, and at least one, need that.
internal enum NearestName {
  /// The nearest of some names.
  ///
  /// - Parameters:
  ///   - name: What was written.
  ///   - known: What could have been meant.
  /// - Returns: The nearest; of several the first in alphabetical order; `nil` when none is near.
  /// - Complexity: O(*n* · *l*²) for *n* names of *l* letters.
  internal static func nearest(to name: String, among known: some Sequence<String>) -> String? {
    let written = Array(name.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in known {
      let letters = Array(candidate.lowercased())
      let limit = max(1, max(written.count, letters.count) / 3)
      guard abs(written.count - letters.count) <= limit else { continue }
      let distance = distance(written, letters)
      guard distance <= limit else { continue }
      if let best, (best.distance, best.name) <= (distance, candidate) { continue }
      best = (candidate, distance)
    }
    return best?.name
  }

  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
