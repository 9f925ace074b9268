import LaunchLoader
import Terminal
import Theming

/// Draws the terminal in four skins into an SVG file: one of them wide, with the second pane.
@MainActor
struct Gallery {
  /// The reason a picture cannot be drawn.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let app: AppHost

  init(_ app: AppHost) { self.app = app }

  /// Runs the application to write the file; `-` is standard output.
  ///
  /// - Returns: The exit status.
  func write(to path: String) async throws -> Int32 {
    try app.add("gallery", onReturn: .shutdown) { @MainActor _ in
      guard let fog = ThemeShelf.contents.themes.first(where: { $0.name == "Fog" }) else {
        let reason = ThemeShelf.contents.complaints.first ?? "no file is named Fog"
        throw Problem(description: "the picture shows Fog, which comes from a file: \(reason)")
      }
      try Self.write(Self.picture(fog).text, to: path)
    }
    return try await app.run()
  }

  /// Returns the windows of one program after each of several actions.
  private static func picture(_ fog: Theme) -> SVG {
    let manager = ThemeManager(light: .day, dark: .night)
    manager.register(.ember, .contrast, fog)
    let mailbox = Mailbox(manager)
    var windows: [SVG.Window] = []
    let draw = { (columns: Int, rows: Int, caption: String) in
      let screen = Canvas(mailbox.picture, Size(columns: columns, rows: rows))
      windows.append(SVG.Window(screen: screen, caption: caption))
    }
    mailbox.use(Theme.ember.name)
    mailbox.use(Theme.night.name)
    mailbox.editBrand()
    draw(
      128,
      26,
      "swift run skins, key b: one line of Swift changed a color and called the inverted views"
    )
    let keys = [
      (Theme.day.name, "key 1: the skin Day"),
      (Theme.ember.name, "key 3: Ember, derived from Night"),
      (fog.name, "key 5: Fog, from a JSON file"),
    ]
    for (name, caption) in keys {
      mailbox.use(name)
      _ = mailbox.fade()
      draw(40, 14, caption)
    }
    return SVG(
      windows,
      title: "A mailbox in a terminal, after one line of Swift, and in the skins Day, Ember and Fog"
    )
  }

  private static func write(_ text: String, to path: String) throws {
    let isWritten =
      path == "-"
      ? TerminalDevice.write(Array(text.utf8), to: 1)
      : TerminalDevice.write(Array(text.utf8), toFile: path)
    if !isWritten { throw Problem(description: "cannot write \(path)") }
  }
}
