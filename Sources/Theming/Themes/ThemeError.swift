/// Why a theme could not be used.
public struct ThemeError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Code: Hashable, Sendable {
    /// Applying a theme led to another switch, again and again.
    ///
    /// Some themed property, or an observer of the change, calls `use` each time it is told of a
    /// switch. The theme of the last round stays; the switch after it was dropped.
    case switchLoop
  }

  /// The kind of error.
  public let code: Code

  /// The names of the themes it is about; in a loop, those of the rounds, and last the one that was
  /// dropped.
  public let themes: [String]

  internal init(_ code: Code, themes: [String]) {
    self.code = code
    self.themes = themes
  }
}

extension ThemeError: CustomStringConvertible {
  /// What happened, and what to look for.
  public var description: String {
    switch code {
    case .switchLoop:
      "Switching themes comes to no end (… \(themes.suffix(4).joined(separator: " → "))): "
        + "each switch led to the next, \(themes.count - 1) times. Look for a themed property, "
        + "or an observer of themeDidChange, that calls use(_:) whenever it is told of a switch."
    }
  }
}
