/// Which of a light and a dark theme somebody wants to see.
public enum AppearancePreference: String, Hashable, Sendable, CaseIterable, Codable {
  /// The light one.
  case light
  /// The dark one.
  case dark
  /// What the system shows; the dark one as long as that is not known.
  case system
}
