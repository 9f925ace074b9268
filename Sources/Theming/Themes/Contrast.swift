/// The minimum contrast required between a text color and its background.
public struct ContrastRule: Sendable {
  /// The key of the text color.
  public let text: ThemeKey<RGBA>

  /// The key of the background color.
  public let background: ThemeKey<RGBA>

  /// The minimum contrast ratio, from 1 to 21.
  public let minimum: Double

  /// Creates a rule that requires a contrast ratio.
  ///
  /// - Parameters:
  ///   - text: The key of the text color.
  ///   - background: The key of the background color.
  ///   - minimum: The minimum ratio. The Web Content Accessibility Guidelines 2 require 4.5 for
  ///     text, 3 for large text and the parts of controls, and, at their highest level, 7.
  /// - SeeAlso: <https://www.w3.org/TR/WCAG22/#contrast-minimum>
  public init(_ text: ThemeKey<RGBA>, on background: ThemeKey<RGBA>, atLeast minimum: Double) {
    self.text = text
    self.background = background
    self.minimum = minimum
  }
}

/// A violation of a contrast rule by a theme.
public struct ContrastIssue: Sendable {
  /// The violated rule.
  public let rule: ContrastRule

  /// The name of the theme.
  public let theme: String

  /// The text color as it appears on its background.
  public let text: RGBA

  /// The background color.
  public let background: RGBA

  /// The contrast ratio of the two colors, from 1 to 21.
  public let ratio: Double
}

extension ContrastIssue: CustomStringConvertible {
  /// The theme, both keys with their colors, the ratio and the required minimum.
  public var description: String {
    "\(theme): \(rule.text) \(text) on \(rule.background) \(background) has a contrast of "
      + "\(twoPlaces(ratio)), below \(twoPlaces(rule.minimum))"
  }

  /// Formats a ratio with two decimal places, rounded down so that an insufficient ratio never
  /// reads as sufficient.
  private func twoPlaces(_ ratio: Double) -> String {
    // A ratio is at most 21, but the minimum of a rule may be any number.
    guard let hundredths = Int(exactly: (ratio * 100).rounded(.down)) else { return "\(ratio)" }
    let rest = abs(hundredths % 100)
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension Theme {
  /// Checks the theme against contrast rules.
  ///
  /// A translucent text color is composited over its background first. A translucent background is
  /// composited over black or white, whichever gives less contrast, because the color behind it is
  /// unknown.
  ///
  /// - Parameter rules: The rules to check.
  /// - Returns: One issue for each violated rule, in the order of the rules.
  /// - Complexity: O(*r*) for *r* rules.
  public func contrastIssues(_ rules: [ContrastRule]) -> [ContrastIssue] {
    rules.compactMap { rule in
      let backdrops = [RGBA(red: 0, green: 0, blue: 0), RGBA(red: 255, green: 255, blue: 255)]
      let issues = backdrops.map { backdrop in
        let ground = self[rule.background].laid(over: backdrop)
        let text = self[rule.text].laid(over: ground)
        return ContrastIssue(
          rule: rule,
          theme: name,
          text: text,
          background: ground,
          ratio: text.contrast(with: ground)
        )
      }
      let worst = issues.min { $0.ratio < $1.ratio }
      return worst.flatMap { $0.ratio < rule.minimum ? $0 : nil }
    }
  }
}
