import Theming
import UIKit

final class RootViewController: UIViewController {
  override func viewDidLoad() {
    super.viewDidLoad()
    reportAppearance()
    registerForTraitChanges([UITraitUserInterfaceStyle.self]) { (root: RootViewController, _) in
      root.reportAppearance()
    }
  }

  private func reportAppearance() {
    let isDark = traitCollection.userInterfaceStyle == .dark
    ThemeManager.app.reportSystemAppearance(isDark ? .dark : .light)
  }
}
