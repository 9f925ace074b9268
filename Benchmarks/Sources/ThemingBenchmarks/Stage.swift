import Harness

/// Some views that were dressed, of which the first ones are rows and the others badges.
@MainActor
struct Stage<Switcher: SkinSwitcher> {
  let switcher = opaque(Switcher())
  var views: [Switcher.View]

  /// Makes views that follow nothing yet.
  init(_ count: Int) {
    views = []
    views.reserveCapacity(count)
    for _ in 0..<count { views.append(switcher.makeView()) }
  }

  /// Dresses the given number of views as badges, and the others as rows.
  func dress(badges: Int) {
    for (place, view) in views.enumerated() {
      switcher.dress(view, as: place < badges ? .badge : .row)
    }
  }

  /// Stops the program if a view does not show the values of the last switch.
  func expect(_ shows: (Look) -> Bool) {
    for view in views where !shows(switcher.look(of: view)) {
      fatalError("\(Switcher.self) left a view as it was")
    }
  }
}
