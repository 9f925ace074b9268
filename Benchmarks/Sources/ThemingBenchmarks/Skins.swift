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

/// The values that a view follows.
enum Dress: Sendable {
  /// A color and a number.
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

  /// The values that a view shows.
  func look(of view: View) -> Look

  /// Makes a view follow the theme, beginning now; it ends with the view.
  func dress(_ view: View, as dress: Dress)

  /// Ends the subscription that `dress` began.
  func undress(_ view: View)

  /// Switches to another value for the rows, and leaves that of the badges.
  func changeRows(_ number: Int)

  /// Switches to another value for the badges, and leaves those of the rows.
  func changeBadges(_ number: Int)
}

/// The values that a view shows, and the number of times they were set.
@MainActor
final class Look {
  var ink = RGBA(red: 0, green: 0, blue: 0) { didSet { touches += 1 } }
  var corner = 0 { didSet { touches += 1 } }
  var badge = 0 { didSet { touches += 1 } }
  private(set) var touches = 0
}

/// A color that differs for each number.
func ink(_ number: Int) -> RGBA { RGBA(red: UInt8(truncatingIfNeeded: number), green: 1, blue: 2) }
