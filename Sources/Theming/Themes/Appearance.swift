/// Whether a theme is a light or a dark one.
public enum Appearance: String, Hashable, Sendable, CaseIterable, Codable {
  /// Dark text on a light ground.
  case light
  /// Light text on a dark ground.
  case dark
}
