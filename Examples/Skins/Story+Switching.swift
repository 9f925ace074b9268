import EventBus
import LaunchLoader
import Theming

extension Story {
  /// Checks the setter of a map, and the effects of a switch.
  func checkSwitching() throws {
    let before = manager.subscriberCount
    let row = makeRow()
    rows = [row]
    line(
      "The setter subscribes a row and applies the theme",
      "\(manager.theme.name), subscribers \(before) → \(manager.subscriberCount), \(look(of: row))",
      is: "Night, subscribers 0 → 1, card #191f2e, ink #d8dee9, accent #88b4ff"
    )
    row.themeMap = row.map
    line(
      "Setting the map again keeps one subscription",
      "subscribers \(manager.subscriberCount)",
      is: "subscribers 1"
    )

    let observer = app.bus.observe(.themeDidChange) { change in
      let keys = change.changedKeys.map(\.name).sorted()
      Diary.shared.note("\(change.old.name) → \(change.new.name): \(keys.joined(separator: ", "))")
    }
    let noted = Diary.shared.notes.count
    _ = ledger.take()
    try manager.use(.day)
    line(
      "A switch sets the properties that follow changed keys, once each",
      list(ledger.take().properties),
      is: "card, ink, muted, accent"
    )
    observer.cancel()
    line(
      "The bus then posts the switch with all changed keys",
      list(Array(Diary.shared.notes.dropFirst(noted))),
      is: "Night → Day: color.accent, color.bar.ground, color.bar.text, color.brand, color.card, "
        + "color.ink, color.muted, color.paper"
    )

    try manager.use(.night)
    _ = ledger.take()
    try manager.use("Ember")
    line(
      "Ember, derived from Night, changes brand and body; the accent, an alias, follows",
      list(ledger.take().properties),
      is: "card, ink, muted, accent, marker"
    )
    line(
      "The theme explains the value",
      list(manager.theme.explain(.accent).description.split(separator: "\n").map(String.init)),
      is: "color.accent → color.brand (Night), color.brand = #ff9e57 (Ember)"
    )

    let count = try switches {
      try manager.edit {
        $0[.ink] = RGBA(0xffffff)
        $0[.corner] = 9
      }
    }
    line(
      "An edit of two keys is one switch",
      "\(list(ledger.take().properties)), switches \(count)",
      is: "ink, corner, switches 1"
    )
    try manager.use(.ember)
    rows.append(makeRow(1))
    line(
      "A row created later is themed by its setter",
      "subscribers \(manager.subscriberCount), \(look(of: rows[1]))",
      is: "subscribers 2, card #2c1a13, ink #f1dfd2, accent #ff9e57"
    )
  }

  /// Returns the visible properties of a row.
  func look(of row: RowView) -> String { "card \(row.card), ink \(row.ink), accent \(row.accent)" }
}
