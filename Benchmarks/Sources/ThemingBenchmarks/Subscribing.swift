import Harness

/// Views that begin to follow the skin, and die.
enum Subscribing {
  static let rows =
    [1_000, 10_000, 100_000].flatMap { count in
      [row("set up", count, settingUp: true), row("tear down", count, settingUp: false)]
    }

  private static func title(_ verb: String, _ count: Int) -> String {
    "\(verb) \(count) views with 2 rules, a view"
  }

  private static func row(_ verb: String, _ count: Int, settingUp: Bool) -> Row {
    let flat = Goal.atMost(2, timesLine: title(verb, 1_000))
    let goals = [Goal.faster(1, than: .openCombine)] + (count > 1_000 ? [flat] : [])
    return Row(
      Figure(title(verb, count), per: count, goals: goals),
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
}
