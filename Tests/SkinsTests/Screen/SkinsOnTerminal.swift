#if os(Linux) || os(macOS)
import TestSupport

/// The answers of a light and of a dark terminal to the background query.
enum Background: String {
  case light = "\u{1b}]11;rgb:ffff/fefe/f0f0\u{1b}\\"
  case dark = "\u{1b}]11;rgb:1010/1010/2020\u{7}"
}

extension TerminalProgram {
  /// Starts skins on a terminal and waits until it shows a screen.
  ///
  /// Without a background the terminal does not answer the query.
  static func skins(
    _ arguments: [String] = [],
    environment: [String] = ["TERM=xterm-256color", "COLORTERM=truecolor"],
    background: Background? = .dark,
    columns: Int = 80,
    rows: Int = 24
  ) throws -> TerminalProgram {
    let program = try TerminalProgram(
      Program("skins"),
      arguments,
      environment: environment,
      columns: columns,
      rows: rows
    )
    if let background { try program.answer(background) }
    try program.wait(for: "first frame") { $0.frameCount > 0 }
    return program
  }

  /// Waits for the question about the background, and answers it.
  func answer(_ background: Background) throws {
    try wait(for: "question") { $0.commands.contains("11;?") }
    type(background.rawValue)
  }

  /// A Boolean value that indicates whether the terminal has its original modes, screen and cursor.
  var isAsBefore: Bool {
    get throws {
      try modes.values == modesBefore && screen.modes == Screen.Modes() && screen.unknown.isEmpty
    }
  }
}
#endif
