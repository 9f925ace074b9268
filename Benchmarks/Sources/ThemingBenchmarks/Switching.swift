import Harness

/// Switching the theme of many views.
enum Switching {
  static let rows = [
    Row(
      Figure("switch 10,000 views with 2 rules each, a rule", per: 20_000),
      pace: .single,
      entries: [
        all(.theming, ThemeSwitcher.self, 10_000),
        all(.notificationCenter, CenterSwitcher.self, 10_000),
        all(.openCombine, PipelineSwitcher.self, 10_000),
        all(.closureLoop, LoopSwitcher.self, 10_000),
      ]
    ),
    Row(
      Figure("switch that matters to 100 of 100,000 views"),
      pace: .single,
      entries: [
        few(.theming, ThemeSwitcher.self, manySwitches),
        few(.notificationCenter, CenterSwitcher.self),
        few(.openCombine, PipelineSwitcher.self), few(.closureLoop, LoopSwitcher.self),
      ]
    ),
    Row(
      Figure("first switch that matters to 100 of 100,000 views"),
      pace: .single,
      entries: [
        few(.theming, ThemeSwitcher.self, 1...1), few(.closureLoop, LoopSwitcher.self, 1...1),
      ]
    ),
  ]

  /// Switches in one sample, each to other values.
  private static let switches = 1...10
  /// Switches in a sample of few views: enough that the first, which loads them into the cache, counts little.
  private static let manySwitches = 1...100

  /// How the cost of a rule grows with the number of views; Benchmarks/growth.py draws these rows.
  static let growth = [100, 1_000, 10_000, 100_000].map { count in
    Row(
      Figure("growth: switch \(count) views with 2 rules each, a rule", per: 2 * count),
      pace: .single,
      entries: [
        all(.theming, ThemeSwitcher.self, count),
        all(.notificationCenter, CenterSwitcher.self, count),
        all(.closureLoop, LoopSwitcher.self, count),
      ]
    )
  }

  private static func all<Switcher: SkinSwitcher>(
    _ subject: Subject,
    _: Switcher.Type,
    _ count: Int
  ) -> Entry {
    Entry(subject) {
      { _ in
        let stage = Stage<Switcher>(count)
        stage.dress(badges: 0)
        let time = nanoseconds { for number in switches { stage.switcher.changeRows(number) } }
        stage.expect { $0.corner == switches.upperBound && $0.ink == ink(switches.upperBound) }
        return time / Double(switches.count)
      }
    }
  }

  private static func few<Switcher: SkinSwitcher>(
    _ subject: Subject,
    _: Switcher.Type,
    _ switches: ClosedRange<Int> = switches
  ) -> Entry {
    Entry(subject) {
      { _ in
        let stage = Stage<Switcher>(100_000)
        stage.dress(badges: 100)
        let time = nanoseconds { for number in switches { stage.switcher.changeBadges(number) } }
        stage.expect { $0.badge == switches.upperBound || $0.corner == 4 }
        return time / Double(switches.count)
      }
    }
  }
}
