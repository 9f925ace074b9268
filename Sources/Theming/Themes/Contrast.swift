/// Whether a theme is a light or a dark one.
public enum Appearance: String, Hashable, Sendable, CaseIterable, Codable {
  /// Dark text on a light ground.
  case light
  /// Light text on a dark ground.
  case dark
}

/// What the contrast of a text on its ground must be at least.
public struct ContrastRule: Sendable {
  /// The key of the text's colour.
  public let text: ThemeKey<RGBA>

  /// The key of the colour of what it stands on.
  public let ground: ThemeKey<RGBA>

  /// The least ratio, from 1 to 21.
  public let minimum: Double

  /// Asks for a contrast.
  ///
  /// - Parameters:
  ///   - text: The key of the text's colour.
  ///   - ground: The key of the colour of what it stands on.
  ///   - minimum: The least ratio. The Web Content Accessibility Guidelines 2 ask for 4.5 for text,
  ///     3 for large text and the parts of controls, and, for their highest level, 7.
  /// - SeeAlso: <https://www.w3.org/TR/WCAG22/#contrast-minimum>
  public init(_ text: ThemeKey<RGBA>, on ground: ThemeKey<RGBA>, atLeast minimum: Double) {
    self.text = text
    self.ground = ground
    self.minimum = minimum
  }
}

/// A text of a theme that cannot be read well.
public struct ContrastIssue: Sendable {
  /// The rule that is broken.
  public let rule: ContrastRule

  /// The name of the theme.
  public let theme: String

  /// The colour of the text, as it is seen on its ground.
  public let text: RGBA

  /// The colour of what it stands on.
  public let ground: RGBA

  /// The contrast ratio of the two, from 1 to 21.
  public let ratio: Double
}

extension ContrastIssue: CustomStringConvertible {
  /// The theme, both keys with their colours, the ratio and what it should be.
  public var description: String {
    "\(theme): \(rule.text) \(text) on \(rule.ground) \(ground) has a contrast of "
      + "\(twoPlaces(ratio)), below \(twoPlaces(rule.minimum))"
  }

  /// A ratio in two decimal places, rounded down, so that what is too low never reads as enough.
  private func twoPlaces(_ ratio: Double) -> String {
    // No ratio is greater than 21; what a rule asks for may be anything.
    guard let hundredths = Int(exactly: (ratio * 100).rounded(.down)) else { return "\(ratio)" }
    let rest = abs(hundredths % 100)
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension Theme {
  /// The texts that cannot be read well in this theme.
  ///
  /// A translucent text is laid over its ground first, and a translucent ground over black or white,
  /// whichever gives less contrast: what will shine through it is not known.
  ///
  /// - Parameter rules: The contrasts to check.
  /// - Returns: An issue for each rule that is broken, in the order of the rules.
  /// - Complexity: O(*r*) for *r* rules.
  public func contrastIssues(_ rules: [ContrastRule]) -> [ContrastIssue] {
    rules.compactMap { rule in
      let backdrops = [RGBA(red: 0, green: 0, blue: 0), RGBA(red: 255, green: 255, blue: 255)]
      let issues = backdrops.map { backdrop in
        let ground = self[rule.ground].laid(over: backdrop)
        let text = self[rule.text].laid(over: ground)
        return ContrastIssue(
          rule: rule,
          theme: name,
          text: text,
          ground: ground,
          ratio: text.contrast(with: ground)
        )
      }
      let worst = issues.min { $0.ratio < $1.ratio }
      return worst.flatMap { $0.ratio < rule.minimum ? $0 : nil }
    }
  }
}
