import EventBus
import Harness
import Theming

/// Views that begin to follow the theme, and die.
enum Subscribing {
  static let rows =
    [1_000, 10_000, 100_000].flatMap { count in
      [row("set up", count, settingUp: true), row("tear down", count, settingUp: false)]
    } + [dying]

  private static func title(_ verb: String, _ count: Int) -> String {
    "\(verb) \(count) views with 2 rules, a view"
  }

  private static func row(_ verb: String, _ count: Int, settingUp: Bool) -> Row {
    Row(
      Figure(title(verb, count), per: count),
      pace: .single,
      entries: [
        entry(.theming, ThemeSwitcher.self, count, settingUp),
        entry(.notificationCenter, CenterSwitcher.self, count, settingUp),
        entry(.openCombine, PipelineSwitcher.self, count, settingUp),
      ]
    )
  }

  private static func entry<Switcher: SkinSwitcher>(
    _ subject: Subject,
    _: Switcher.Type,
    _ count: Int,
    _ settingUp: Bool
  ) -> Entry {
    Entry(subject) {
      { _ in
        var stage = Stage<Switcher>(count)
        let up = nanoseconds { stage.dress(badges: 0) }
        stage.expect { $0.corner == 4 }
        let down = nanoseconds { stage.views = [] }
        return settingUp ? up : down
      }
    }
  }

  /// Views of which no two follow the same keys, although each key has many followers.
  private static let dying = Row(
    Figure("tear down 40,000 views with distinct sets of keys, a view", per: 40_000),
    pace: .single,
    entries: [
      Entry(.theming) {
        { _ in
          let manager = ThemeManager(Theme("first", appearance: .dark), bus: EventBus())
          let keys = (0..<400).map { ThemeKey("size.\($0)", default: $0) }
          var views: [ThemeSwitcher.View] = []
          for place in 0..<40_000 {
            let view = ThemeSwitcher.View(manager)
            view.map = [
              .set(\.ink, .ink), .set(\.corner, keys[place / 200]),
              .set(\.badge, keys[200 + place % 200]),
            ]
            views.append(view)
          }
          return nanoseconds { views = [] }
        }
      }
    ]
  )
}
