import Theming

extension Story {
  /// Checks themes from files, and the messages about invalid files.
  func checkFiles() throws {
    let themes = ThemeShelf.contents.themes
    if folder == nil {
      let found = themes.first.map { theme in
        "\(theme.name), \(theme.appearance), \(theme[.corner]), "
          + list(theme.explain(.accent).description.split(separator: "\n").map(String.init))
      }
      line(
        "A skin is loaded from a file",
        found ?? list(ThemeShelf.contents.complaints),
        is: "Fog, light, 12, color.accent → color.brand (Fog), color.brand = #4f6b7c (Fog)"
      )
    } else {
      let used = try themes.map { theme in
        try manager.use(theme.name)
        return manager.theme.name
      }
      try manager.use(.night)
      line("Every skin of the folder can be used", list(used), is: list(themes.map(\.name)))
    }
    line(
      "A misspelt key in a file gets a suggestion",
      read(#"{"name": "Typo", "values": {"color": {"acent": "crimson"}}}"#),
      is: "sample.json: \"color.acent\" is not a key of the theme; did you mean \"color.accent\"?"
    )
    line(
      "A value of the wrong type is reported with its key",
      read(#"{"name": "Type", "values": {"row": {"corner": "round"}}}"#),
      is: "sample.json: \"row.corner\" has the wrong type: write a value of type Int"
    )
    line(
      "An invalid color is reported with its key",
      read(#"{"name": "Color", "values": {"color.ink": "reddish"}}"#),
      is: "sample.json: \"color.ink\" cannot be read: \"reddish\" is not a color: "
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
    ThemeFiles.read(text: text, of: "sample.json").complaints.first ?? "nothing was wrong"
  }
}
