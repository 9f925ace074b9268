import Theming

extension ThemeKeys {
  static let ink = ThemeKey("color.ink", default: RGBA(red: 0, green: 0, blue: 0))
  static let corner = ThemeKey("row.corner", default: 4)
  static let badge = ThemeKey("badge.size", default: 1)
}

/// The three values that themes are made of here, for subjects that do not use the library.
struct Skin {
  var ink: RGBA
  var corner: Int
  var badge: Int
}

/// What a view follows.
enum Dress: Sendable {
  /// A colour and a number.
  case row
  /// One number, which few views follow.
  case badge
}

/// Something that switches the themes of views.
@MainActor
protocol SkinSwitcher {
  associatedtype View: AnyObject

  init()

  /// Makes a view that follows nothing yet.
  func makeView() -> View

  /// What a view shows.
  func look(of view: View) -> Look

  /// Makes a view follow the theme, beginning now; it ends with the view.
  func dress(_ view: View, as dress: Dress)

  /// Ends what was begun with `dress`.
  func undress(_ view: View)

  /// Switches to another value of what rows follow, and leaves the badge.
  func changeRows(_ number: Int)

  /// Switches to another value of the badge, and leaves the rest.
  func changeBadges(_ number: Int)
}

/// What a view shows, and how often that was set.
@MainActor
final class Look {
  var ink = RGBA(red: 0, green: 0, blue: 0) { didSet { touches += 1 } }
  var corner = 0 { didSet { touches += 1 } }
  var badge = 0 { didSet { touches += 1 } }
  private(set) var touches = 0
}

/// A colour that is another one for each number.
func ink(_ number: Int) -> RGBA { RGBA(red: UInt8(truncatingIfNeeded: number), green: 1, blue: 2) }
