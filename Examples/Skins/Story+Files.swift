import Theming

extension Story {
  /// Checks themes from files, and the messages about invalid files.
  func checkFiles() {
    let found = ThemeShelf.contents.themes.first.map { theme in
      "\(theme.name), \(theme.appearance), \(theme[.corner]), "
        + list(theme.explain(.accent).steps.map { "\($0)" })
    }
    line(
      "A skin is loaded from a file",
      found ?? list(ThemeShelf.contents.complaints),
      is: "Fog, light, 12, color.accent → color.brand (Fog), color.brand = #4f6b7c (Fog)"
    )
    line(
      "A misspelt key in a file gets a suggestion",
      read(#"{"name": "Typo", "values": {"color": {"acent": "crimson"}}}"#),
      is: "sample.json: \"color.acent\" is not a key of the theme; did you mean \"color.accent\"?"
    )
    line(
      "A value of the wrong type is reported with its path",
      read(#"{"name": "Type", "values": {"row": {"corner": "round"}}}"#),
      is: "sample.json: \"values.row.corner\" has the wrong type: "
        + "write a value of type Int"
    )
    line(
      "An invalid colour is reported with its path",
      read(#"{"name": "Colour", "values": {"color.ink": "reddish"}}"#),
      is: "sample.json: \"values.color.ink\": \"reddish\" is not a colour: "
        + "write #rrggbb or #rrggbbaa"
    )
    line(
      "A truncated file is rejected",
      read(#"{"name": "Cut", "values": {"color.in"#),
      is: "sample.json: not complete JSON: "
        + "look for a missing brace, quote or comma"
    )
  }

  private func read(_ text: String) -> String {
    complaint { _ = try ThemeFiles.theme(inText: text, of: "sample.json") }
  }
}
