import Harness

/// The memory of a view that follows the theme, and its remainder afterwards.
///
/// Counts, not times: equal in every run, however busy the machine is.
enum Weighing {
  static let rows = [
    Row(
      Figure("bytes per view that follows with 2 rules", .bytes, per: count),
      pace: .counted,
      entries: entries(\.held)
    ),
    Row(
      Figure("bytes left when no view follows any more", .bytes, mustBeZero: true),
      pace: .counted,
      entries: entries(\.left)
    ),
    Row(
      Figure("allocations per switch of 10,000 views, a view", .count, per: count),
      pace: .counted,
      entries: entries(\.allocations)
    ),
  ]

  private static let count = 10_000

  private struct Weight {
    var held = 0
    var left = 0
    var allocations = 0
  }

  private static func entries(_ figure: @escaping @Sendable (Weight) -> Int) -> [Entry] {
    [
      entry(.theming, ThemeSwitcher.self, figure),
      entry(.notificationCenter, CenterSwitcher.self, figure),
      entry(.openCombine, PipelineSwitcher.self, figure),
    ]
  }

  private static func entry<Switcher: SkinSwitcher>(
    _ subject: Subject,
    _: Switcher.Type,
    _ figure: @escaping @Sendable (Weight) -> Int
  ) -> Entry {
    Entry(subject) {
      { _ in Double(figure(weigh(Switcher.self))) }
    }
  }

  /// The memory beyond that of the views themselves.
  @MainActor
  private static func weigh<Switcher: SkinSwitcher>(_: Switcher.Type) -> Weight {
    var weight = Weight()
    let stage = Stage<Switcher>(count)
    // One-time costs of the first views, such as tables, do not count.
    turnOver {}
    weight.left =
      Heap.during { soFar in
        turnOver {
          weight.held = soFar().bytes
          let before = soFar().allocations
          stage.switcher.changeRows(2)
          weight.allocations = soFar().allocations - before
        }
      }.bytes
    return weight

    func turnOver(atTheTop: () -> Void) {
      stage.dress(badges: 0)
      stage.switcher.changeRows(1)
      atTheTop()
      for view in stage.views { stage.switcher.undress(view) }
    }
  }
}
