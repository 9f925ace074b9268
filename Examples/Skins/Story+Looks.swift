import Theming

extension Story {
  /// Checks scopes, the preference for the system, and rejected themes.
  func checkLooks() throws {
    let scope = try manager.scope { $0[.brand] = RGBA(0x2fa89a) }
    rows[1].themeMap = rows[1].map.scoped(scope)
    try manager.use(.night)
    line(
      "A scope keeps its brand through a switch and follows the other keys",
      "\(rows[0].accent) and \(rows[1].accent), both on \(list(Set(rows.map(\.card.hex)).sorted()))",
      is: "#88b4ff and #2fa89a, both on #191f2e"
    )
    rows[1].themeMap = rows[1].map

    manager.appearancePreference = .system
    manager.systemAppearance = .light
    let light = manager.theme.name
    manager.systemAppearance = .dark
    line(
      "With the preference system, the skin follows the system",
      "\(manager.appearancePreference): \(light), then \(manager.theme.name)",
      is: "system: Day, then Night"
    )
    line(
      "A mistyped name gets a suggestion",
      complaint { try manager.use("Embre") },
      is: "No theme is registered as \"Embre\". Did you mean \"Ember\"?"
    )

    let circle = Theme("Circle", appearance: .dark) {
      $0[alias: .accent] = .brand
      $0[alias: .brand] = .barGround
      $0[alias: .barGround] = .accent
    }
    var refusal = ""
    let count = switches { refusal = complaint { try manager.use(circle) } }
    line(
      "A theme with an alias cycle is rejected by name, and nothing changes",
      "\(refusal) \(manager.theme.name), switches \(count)",
      is: "The aliases of the theme \"Circle\" form a cycle: color.accent → color.brand → "
        + "color.bar.ground → color.accent. Give one of them a value. Night, switches 0"
    )

    let rules = [
      ContrastRule(.ink, on: .card, atLeast: 7), ContrastRule(.muted, on: .card, atLeast: 4.5),
      ContrastRule(.accent, on: .card, atLeast: 4.5),
      ContrastRule(.barText, on: .barGround, atLeast: 4.5),
    ]
    // The contrast of the user's own skins is theirs to judge.
    let skins =
      [Theme.day, .night, .ember, .contrast] + (folder == nil ? ThemeShelf.contents.themes : [])
    line(
      folder == nil
        ? "Contrast violations in all skins, including the one from a file"
        : "Contrast violations in the skins of the demo",
      list(skins.flatMap { $0.contrastIssues(rules) }.map { "\($0)" }),
      is: "nothing"
    )
  }
}
