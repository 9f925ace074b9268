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
