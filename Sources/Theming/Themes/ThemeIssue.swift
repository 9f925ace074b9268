/// A part of a theme document that was left out because it is not valid.
public struct ThemeIssue: Hashable, Sendable {
  /// The kind of an issue.
  public enum Code: Hashable, Sendable {
    /// A document has no member of this name beside `name`, `values` and the others.
    case unknownMember
    /// No key of the schema has this name.
    case unknownKey
    /// The target of the alias is not the name of a key of the schema.
    case unknownAlias(target: String)
    /// The document sets this key twice; the setting with fewer levels counts.
    case duplicateKey
    /// The type of the key's values is not `Codable`, so files cannot hold them.
    case notCodable
  }

  /// The kind of the issue.
  public let code: Code

  /// The name of the key or member, with dots between groups.
  public let key: String

  /// The known name closest to an unknown one, or `nil` if none is close.
  public let suggestion: String?

  init(_ code: Code, key: String, suggestion: String? = nil) {
    self.code = code
    self.key = key
    self.suggestion = suggestion
  }
}

extension ThemeIssue: CustomStringConvertible {
  /// The issue, its location and a suggestion if there is one.
  public var description: String {
    problem + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
  }

  private var problem: String {
    switch code {
    case .unknownMember: "\"\(key)\" is not a member of a theme"
    case .unknownKey: "\"\(key)\" is not a key of the theme"
    case .unknownAlias(let target):
      "\"\(key)\" points at \"\(target)\", which is not a key of the theme"
    case .duplicateKey: "\"\(key)\" is set twice"
    case .notCodable: "\"\(key)\" has values that are not Codable"
    }
  }
}

extension Sequence<String> {
  /// Returns the name closest to a misspelt one.
  ///
  /// The distance of two names is the number of letters to insert, remove, replace or exchange with
  /// a neighbour to turn one into the other (the restricted Damerau–Levenshtein distance). Case is
  /// ignored. A name is close if that number is at most a third of its letters, or one.
  ///
  /// - Parameter name: The misspelt name.
  /// - Returns: The closest name, or the alphabetically first of several; `nil` if none is close.
  /// - Complexity: O(*n* · *l*²) for *n* names of *l* letters.
  func nearest(to name: String) -> String? {
    let written = Array(name.lowercased())
    let close = compactMap { known -> (distance: Int, name: String)? in
      let letters = Array(known.lowercased())
      let limit = Swift.max(1, Swift.max(written.count, letters.count) / 3)
      guard abs(written.count - letters.count) <= limit else { return nil }
      let distance = editDistance(written, letters)
      return distance <= limit ? (distance, known) : nil
    }
    return close.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }
}

private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
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
