/// Something in a theme's document that was left out, because it could not be understood.
public struct ThemeIssue: Hashable, Sendable {
  /// The kind of issue.
  public enum Code: Hashable, Sendable {
    /// The document has no use for a member of this name, beside `name`, `values` and the others.
    case unknownMember
    /// No key of the schema has this name.
    case unknownKey
    /// The alias points at a name that no key of the schema has.
    case unknownAlias(target: String)
    /// Two places in the document set this key; the one with fewer levels was taken.
    case duplicateKey
    /// The type of the key's values cannot be read from files or written to them: it is not
    /// `Codable`.
    case notCodable
  }

  /// The kind of issue.
  public let code: Code

  /// Where it is: the name of the key or of the member, with dots between groups.
  public let key: String

  /// The known name that is nearest to the one that was not, or `nil` when none is near.
  public let suggestion: String?

  init(_ code: Code, key: String, suggestion: String? = nil) {
    self.code = code
    self.key = key
    self.suggestion = suggestion
  }
}

extension ThemeIssue: CustomStringConvertible {
  /// What is wrong, where, and what was perhaps meant.
  public var description: String {
    problem + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
  }

  private var problem: String {
    switch code {
    case .unknownMember: "\"\(key)\" is no member of a theme"
    case .unknownKey: "\"\(key)\" is no key of the theme"
    case .unknownAlias(let target):
      "\"\(key)\" points at \"\(target)\", which is no key of the theme"
    case .duplicateKey: "\"\(key)\" is set twice"
    case .notCodable: "\"\(key)\" has values that are not Codable"
    }
  }
}

/// Finds the name that somebody probably meant.
///
/// The distance of two names is the number of letters to insert, remove, replace, or exchange with
/// their neighbour, to make one of the other (the restricted Damerau–Levenshtein distance). Case does
/// not count. A name is near when no more than a third of its letters, and at least one, need that.
enum NearestName {
  /// The nearest of some names.
  ///
  /// - Parameters:
  ///   - name: What was written.
  ///   - known: What could have been meant.
  /// - Returns: The nearest; of several the first in alphabetical order; `nil` when none is near.
  /// - Complexity: O(*n* · *l*²) for *n* names of *l* letters.
  static func nearest(to name: String, among known: some Sequence<String>) -> String? {
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
