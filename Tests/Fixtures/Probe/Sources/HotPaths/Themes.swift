public import Theming

extension ThemeKeys {
  /// A color.
  public static let ink = ThemeKey("probe.ink", default: RGBA(red: 0, green: 0, blue: 0))
  /// A number.
  public static let corner = ThemeKey("probe.corner", default: 4)
}

/// A view that follows the theme.
@MainActor
public final class Label {
  /// Follows a key.
  public var ink = RGBA(red: 0, green: 0, blue: 0)
  /// Follows a key, and has an observer.
  public var corner = 0 { didSet { touches += 1 } }
  /// Follows a key of its type without the `Optional`.
  public var margin: Int?
  /// Follows a key by a transform.
  public var caption: String?
  /// How often the corner was set.
  public private(set) var touches = 0

  /// What follows what.
  @Themed public var themeMap: ThemeMap<Label>?

  /// Makes a label.
  public init(_ manager: ThemeManager) { _themeMap = Themed(manager) }

  /// Follows the theme.
  public func follow() {
    themeMap = [
      .set(\.ink, .ink), .set(\.corner, .corner), .set(\.margin, .corner),
      .set(\.caption, .ink) { $0.hex },
    ]
  }
}
