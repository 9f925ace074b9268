/// The reason a theme cannot be used.
public struct ThemeError: Error, Hashable, Sendable {
  /// The kind of an error.
  public enum Code: Hashable, Sendable {
    /// Applying a theme triggered another switch, 16 times in succession.
    ///
    /// A themed property, or an observer of the change, calls `use` on every switch. The theme of
    /// the last round stays in use; the switch after it is dropped.
    case switchLoop
    /// Aliases of the theme form a cycle; ``ThemeError/path`` names the keys.
    case aliasCycle
    /// No theme is registered under this name.
    case unknownTheme
    /// The document extends a theme that was not passed, or a different theme was passed.
    case wrongBase
    /// The document has ``ThemeError/issues`` and strict reading was requested.
    case issues
  }

  /// The kind of the error.
  public let code: Code

  /// The names of the themes involved.
  ///
  /// For a loop: the themes of the rounds and, last, the dropped one. For a wrong base: the theme
  /// of the document and the theme it extends.
  public let themes: [String]

  /// The names of the keys of an alias cycle; otherwise empty.
  ///
  /// Each key is an alias of the next. The last name repeats the first.
  public let path: [String]

  /// The issues of the document; otherwise empty.
  public let issues: [ThemeIssue]

  /// The registered name closest to an unknown one, or `nil` if none is close.
  public let suggestion: String?

  init(
    _ code: Code,
    themes: [String],
    path: [String] = [],
    issues: [ThemeIssue] = [],
    suggestion: String? = nil
  ) {
    self.code = code
    self.themes = themes
    self.path = path
    self.issues = issues
    self.suggestion = suggestion
  }
}

extension ThemeError: CustomStringConvertible {
  /// The error and how to resolve it.
  public var description: String {
    let first = themes.first ?? ""
    switch code {
    case .switchLoop:
      return "Switching themes does not settle (… \(themes.suffix(4).joined(separator: " → "))): "
        + "each switch triggered the next, \(themes.count - 1) times. Look for a themed property, "
        + "or an observer of themeDidChange, that calls use(_:) on every switch."
    case .aliasCycle:
      return "The aliases of the theme \"\(first)\" form a cycle: "
        + "\(path.joined(separator: " → ")). Give one of them a value."
    case .unknownTheme:
      let advice =
        suggestion.map { "Did you mean \"\($0)\"?" } ?? "Call register(_:) with it first."
      return "No theme is registered as \"\(first)\". \(advice)"
    case .wrongBase:
      let base = themes.last ?? ""
      return "The theme \"\(first)\" extends \"\(base)\": "
        + "call theme(extending:) with the theme \"\(base)\"."
    case .issues:
      let list = issues.map { "\n  \($0)" }.joined()
      return
        "The theme \"\(first)\" has \(issues.count) issue\(issues.count == 1 ? "" : "s"):\(list)"
    }
  }
}

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
