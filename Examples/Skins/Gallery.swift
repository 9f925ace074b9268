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

  private let app: Application

  init(_ app: Application) { self.app = app }

  /// Runs the application to write the file; `-` is standard output.
  ///
  /// - Returns: The exit status.
  func write(to path: String) async throws -> Int32 {
    try app.add("gallery", ServiceOptions(onReturn: .shutdown)) { @MainActor _ in
      guard let fog = ThemeShelf.contents.themes.first(where: { $0.name == "Fog" }) else {
        let reason = ThemeShelf.contents.complaints.first ?? "no file is named Fog"
        throw Problem(description: "the picture shows Fog, which comes from a file: \(reason)")
      }
      try Self.write(Self.picture(fog).text, to: path)
    }
    return try await app.run()
  }

  /// Returns the screens of one program after each of several actions.
  private static func picture(_ fog: Theme) -> SVG {
    let manager = ThemeManager(light: .day, dark: .night)
    manager.register(.ember, .contrast, fog)
    let mailbox = Mailbox(manager)
    var screens: [Canvas] = []
    let draw = { (columns: Int, rows: Int) in
      screens.append(Canvas(mailbox.picture, Size(columns: columns, rows: rows)))
    }
    mailbox.use(Theme.ember.name)
    mailbox.use(Theme.night.name)
    mailbox.addRow()
    mailbox.editBrand()
    draw(128, 24)
    for name in [Theme.day.name, Theme.ember.name, fog.name] {
      mailbox.use(name)
      _ = mailbox.fade()
      draw(40, 14)
    }
    return SVG(screens, names: [Theme.night, .day, .ember, fog].map(\.name))
  }

  private static func write(_ text: String, to path: String) throws {
    let isWritten =
      path == "-"
      ? TerminalDevice.write(Array(text.utf8), to: 1)
      : TerminalDevice.write(Array(text.utf8), toFile: path)
    if !isWritten { throw Problem(description: "cannot write \(path)") }
  }
}
