import LaunchLoader
import Terminal
import Theming

/// Draws the same screen in four skins into an SVG file.
@MainActor
struct Gallery {
  /// Why there is no picture.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let app: Application

  init(_ app: Application) { self.app = app }

  /// Writes the file; `-` is standard output.
  ///
  /// - Returns: The exit status.
  func hang(_ path: String) async throws -> Int32 {
    try app.add("gallery") { @MainActor _ in
      guard let fog = ThemeShelf.contents.themes.first(where: { $0.name == "Fog" }) else {
        let reason = ThemeShelf.contents.complaints.first ?? "no file is named Fog"
        throw Problem(description: "the picture shows Fog, which comes from a file: \(reason)")
      }
      let pictures = [Theme.day, .night, .ember, fog].map(Self.picture)
      try Self.write(SVG(pictures).text, to: path)
    }
    return try await app.run()
  }

  /// The screen as it is after somebody has put on a skin.
  private static func picture(_ skin: Theme) -> Picture {
    let manager = ThemeManager(.contrast)
    manager.register(skin)
    let mailbox = Mailbox(manager)
    mailbox.use(skin.name)
    return mailbox.picture
  }

  private static func write(_ text: String, to path: String) throws {
    let isWritten =
      path == "-"
      ? TerminalDevice.write(Array(text.utf8), to: 1)
      : TerminalDevice.write(Array(text.utf8), toFile: path)
    if !isWritten { throw Problem(description: "cannot write \(path)") }
  }
}
