internal import EventBus

/// The reason a theme cannot be used.
public struct ThemeError: Error {
  /// The kind of an error.
  public enum Code: Sendable {
    /// Applying a theme triggered another switch, 16 times in succession.
    ///
    /// A themed property, or an observer of the change, calls `use` on every switch. The theme of
    /// the last switch stays in use; the switch after it is dropped.
    case switchLoop
    /// Aliases of the theme form a cycle; ``ThemeError/path`` names the keys.
    case aliasCycle
    /// No theme is registered under this name.
    case unknownTheme
    /// The document extends a theme that was not passed, or a different theme was passed.
    case wrongBase
    /// The document has ``ThemeError/issues`` and strict reading was requested.
    case issues
    /// The theme extends one that is neither among the loaded documents nor among the bases.
    case unknownBase
    /// The theme extends one whose document could not become a theme.
    case failedBase
    /// The theme extends itself, through the themes that ``ThemeError/path`` names.
    case baseCycle
    /// Another document, or a base, has the same name; the theme of the first one is used.
    case duplicateName
  }

  /// The kind of the error.
  public let code: Code

  /// The names of the themes involved.
  ///
  /// For a loop: the themes of the switches and, last, the dropped one. For an error about a base:
  /// the theme of the document and the theme it extends.
  public let themes: [String]

  /// The names of the keys of an alias cycle, or of the themes of a cycle of bases; otherwise empty.
  ///
  /// Each key is an alias of the next, each theme extends the next. The last name repeats the
  /// first.
  public let path: [String]

  /// The issues of the document; otherwise empty.
  public let issues: [ThemeIssue]

  /// The registered name closest to an unknown one, or `nil` if none is close.
  public let suggestion: String?

  /// The name of the theme that was passed instead of the base, if one was.
  private let givenBase: String?

  init(
    _ code: Code,
    themes: [String],
    path: [String] = [],
    issues: [ThemeIssue] = [],
    suggestion: String? = nil,
    givenBase: String? = nil
  ) {
    self.givenBase = givenBase
    self.code = code
    self.themes = themes
    self.path = path
    self.issues = issues
    self.suggestion = suggestion
  }
}

extension ThemeError: CustomStringConvertible {
  /// The error and how to resolve it.
  ///
  /// One line, and one more for each issue: line breaks in names are escaped.
  public var description: String {
    let first = (themes.first ?? "").onOneLine
    let base = (themes.last ?? "").onOneLine
    switch code {
    case .switchLoop:
      let names = themes.suffix(4).joined(separator: " → ").onOneLine
      return "Switching themes does not end (… \(names)): "
        + "each switch triggered the next, \(themes.count - 1) times. Look for a themed property, "
        + "or an observer of themeDidChange, that calls use(_:) on every switch."
    case .aliasCycle:
      return "The aliases of the theme \"\(first)\" form a cycle: "
        + "\(path.joined(separator: " → ").onOneLine). Give one of them a value."
    case .unknownTheme:
      return "No theme is registered as \"\(first)\". "
        + advice(otherwise: "Call register(_:) with it first.")
    case .unknownBase:
      return "The theme \"\(first)\" extends \"\(base)\", which is not loaded. "
        + advice(otherwise: "Load its document as well, or pass it as a base.")
    case .failedBase:
      return "The theme \"\(first)\" extends \"\(base)\", which could not be loaded. "
        + "Correct that document first."
    case .baseCycle:
      return "The theme \"\(first)\" extends itself: "
        + "\(path.joined(separator: " → ").onOneLine). Let one of them extend another theme."
    case .duplicateName:
      return "A theme named \"\(first)\" was already loaded and is the one in use. Rename this one."
    case .wrongBase:
      let passed = givenBase.map { ", but was given \"\($0.onOneLine)\"" } ?? ""
      return "The theme \"\(first)\" extends \"\(base)\"\(passed). "
        + "Call theme(extending:) with the theme \"\(base)\"."
    case .issues:
      let list = issues.map { "\n  \($0)" }.joined()
      return
        "The theme \"\(first)\" has \(issues.count) issue\(issues.count == 1 ? "" : "s"):\(list)"
    }
  }

  private func advice(otherwise: String) -> String {
    suggestion.map { "Did you mean \"\($0.onOneLine)\"?" } ?? otherwise
  }
}
