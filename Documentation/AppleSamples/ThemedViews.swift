import EventBus
import Theming
import UIKit

nonisolated extension ThemeKeys {
  static let ink = ThemeKey("color.ink", default: RGBA(0x1E1E1E))
  static let paper = ThemeKey("color.paper", default: RGBA(0xFFFFFF))
}

extension RGBA {
  var uiColor: UIColor {
    UIColor(
      red: CGFloat(red) / 255,
      green: CGFloat(green) / 255,
      blue: CGFloat(blue) / 255,
      alpha: CGFloat(alpha) / 255
    )
  }
}

extension ThemeManager {
  /// The manager of this app, which has a theme for each appearance.
  static let app = ThemeManager(
    light: Theme("Day", appearance: .light),
    dark: Theme("Night", appearance: .dark) {
      $0[.ink] = RGBA(0xE6E6E6)
      $0[.paper] = RGBA(0x141414)
    }
  )
}

final class Badge: UILabel {
  @Themed(ThemeManager.app) var themeMap: ThemeMap<Badge>?
}

final class ProfileViewController: UIViewController {
  @Themed(ThemeManager.app) var themeMap: ThemeMap<ProfileViewController>?
  private let badge = Badge()
  private let name = UILabel()

  override func viewDidLoad() {
    super.viewDidLoad()
    themeMap = [.set(\.view.backgroundColor, .paper) { $0.uiColor }]
    badge.themeMap = [
      .set(\.textColor, .paper) { $0.uiColor },
      .set(\.backgroundColor, .ink) { $0.uiColor },
    ]
    // A class of UIKit itself, which has no themed property.
    ThemeManager.app.follow(name, [.set(\.textColor, .ink) { $0.uiColor }])
  }
}
