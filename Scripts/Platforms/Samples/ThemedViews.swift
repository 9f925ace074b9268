import EventBus
import Theming
import UIKit

nonisolated extension ThemeKeys {
  static let ink = ThemeKey("color.ink", default: RGBA(red: 30, green: 30, blue: 30))
  static let paper = ThemeKey("color.paper", default: RGBA(red: 255, green: 255, blue: 255))
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

final class Badge: UILabel {
  @Themed var themeMap: ThemeMap<Badge>?
}

final class ProfileViewController: UIViewController {
  @Themed var themeMap: ThemeMap<ProfileViewController>?
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
    ThemeManager.shared.follow(name, [.set(\.textColor, .ink) { $0.uiColor }])
  }
}
