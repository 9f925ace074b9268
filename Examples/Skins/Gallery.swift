import LaunchLoader
import Terminal
import Theming

/// Draws the same screen in four skins into an SVG file.
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
      try Self.write(SVG(Self.pictures(of: [.day, .night, .ember, fog])).text, to: path)
    }
    return try await app.run()
  }

  /// Returns pictures of one screen after each of several switches.
  private static func pictures(of skins: [Theme]) -> [Picture] {
    let manager = ThemeManager(.contrast)
    let mailbox = Mailbox(manager)
    return skins.map { skin in
      manager.register(skin)
      mailbox.use(skin.name)
      return mailbox.picture
    }
  }

  private static func write(_ text: String, to path: String) throws {
    let isWritten =
      path == "-"
      ? TerminalDevice.write(Array(text.utf8), to: 1)
      : TerminalDevice.write(Array(text.utf8), toFile: path)
    if !isWritten { throw Problem(description: "cannot write \(path)") }
  }
}
