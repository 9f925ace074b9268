import EventBus
import Theming

/// The project's own: views with a themed property, and a manager.
@MainActor
final class ThemeSwitcher: SkinSwitcher {
  @MainActor
  final class View {
    let look = Look()
    var ink: RGBA {
      get { look.ink }
      set { look.ink = newValue }
    }
    var corner: Int {
      get { look.corner }
      set { look.corner = newValue }
    }
    var badge: Int {
      get { look.badge }
      set { look.badge = newValue }
    }

    @Themed var map: ThemeMap<View>?

    init(_ manager: ThemeManager) { _map = Themed(manager) }
  }

  private let manager = ThemeManager(Theme("first", appearance: .dark), bus: EventBus())
  private let row: ThemeMap<View> = [.set(\.ink, .ink), .set(\.corner, .corner)]
  private let badge: ThemeMap<View> = [.set(\.badge, .badge)]

  func makeView() -> View { View(manager) }

  func look(of view: View) -> Look { view.look }

  func dress(_ view: View, as dress: Dress) {
    view.map =
      switch dress {
      case .row: row
      case .badge: badge
      }
  }

  func undress(_ view: View) { view.map = nil }

  func changeRows(_ number: Int) {
    edit {
      $0[.ink] = ink(number)
      $0[.corner] = number
    }
  }

  func changeBadges(_ number: Int) { edit { $0[.badge] = number } }

  private func edit(_ change: (inout Theme) -> Void) {
    do { try manager.edit(change) } catch { fatalError("\(error)") }
  }
}
