/// Why a theme could not be used.
public struct ThemeError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Code: Hashable, Sendable {
    /// Applying a theme led to another switch, again and again.
    ///
    /// Some themed property, or an observer of the change, calls `use` each time it is told of a
    /// switch. The theme of the last round stays; the switch after it was dropped.
    case switchLoop
    /// The aliases of the theme lead in a circle; ``ThemeError/path`` names the keys.
    case aliasCycle
    /// No theme of this name was registered.
    case unknownTheme
    /// The document extends a theme that was not given, or another one than was given.
    case wrongBase
    /// The document has ``ThemeError/issues``, and was to be read strictly.
    case issues
  }

  /// The kind of error.
  public let code: Code

  /// The names of the themes it is about.
  ///
  /// In a loop, those of the rounds and, last, the one that was dropped. Where a base is wrong, that
  /// of the document and that of the theme it extends.
  public let themes: [String]

  /// The names of the keys of an alias cycle; otherwise empty.
  ///
  /// In the order in which they point at one another. The last one is the first one again.
  public let path: [String]

  /// What is wrong with a document; otherwise empty.
  public let issues: [ThemeIssue]

  /// The registered name that is nearest to the one that was not found, or `nil` when none is near.
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
  /// What happened, and what to look for.
  public var description: String {
    let first = themes.first ?? ""
    switch code {
    case .switchLoop:
      return "Switching themes comes to no end (… \(themes.suffix(4).joined(separator: " → "))): "
        + "each switch led to the next, \(themes.count - 1) times. Look for a themed property, "
        + "or an observer of themeDidChange, that calls use(_:) whenever it is told of a switch."
    case .aliasCycle:
      return "The aliases of the theme \"\(first)\" lead in a circle: "
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
