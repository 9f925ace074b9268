import Theming

extension Story {
  /// Checks that a switch calls few of many views, and that subscriptions end with the view or a `nil` map.
  func checkEndings() throws {
    let lamps = Counter()
    var others = (0..<10_000).map { Lamp($0 < 100 ? .accent : .barText, lamps) }
    lamps.count = 0
    try manager.use(.ember)
    line(
      "Of 10,000 more views, a switch calls those that follow a changed key",
      "\(lamps.count) called, \(others.count - lamps.count) skipped",
      is: "100 called, 9900 skipped"
    )
    var before = manager.subscriberCount
    others = []
    line(
      "Their subscriptions end when they die, without a deinit",
      "subscribers \(before) → \(manager.subscriberCount)",
      is: "subscribers 10002 → 2"
    )

    before = manager.subscriberCount
    rows[1].themeMap = nil
    _ = ledger.take()
    try manager.use(.night)
    line(
      "A row whose map is nil keeps its look through the next switch",
      "subscribers \(before) → \(manager.subscriberCount), \(rows[0].accent) and \(rows[1].accent)",
      is: "subscribers 2 → 1, #88b4ff and #ff9e57"
    )
    rows = []
    line("No subscription remains", "subscribers \(manager.subscriberCount)", is: "subscribers 0")
  }
}

/// A counter that views share.
@MainActor
private final class Counter {
  var count = 0
}

/// A view with one color.
@MainActor
private final class Lamp {
  var color = RGBA(0x000000) { didSet { counter.count += 1 } }
  @Themed(.skins) var themeMap: ThemeMap<Lamp>?
  private let counter: Counter

  init(_ key: ThemeKey<RGBA>, _ counter: Counter) {
    self.counter = counter
    themeMap = [.set(\.color, key)]
  }
}
