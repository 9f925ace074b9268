/// The appearance of a theme: light or dark.
public enum Appearance: String, Hashable, Sendable, CaseIterable, Codable {
  /// Dark text on a light background.
  case light
  /// Light text on a dark background.
  case dark
}
