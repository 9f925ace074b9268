/// What a program that fills the screen switches on in a terminal, and off again (xterm, "DEC Private
/// Mode Set").
enum ScreenModes {
  /// The other screen, no cursor, no wrapping at the end of a line, and pasted text marked as such.
  static let enter: [UInt8] = Array("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?2004h".utf8)

  /// All of that back, in reverse.
  ///
  /// The end of a frame comes first: a signal may have come inside one.
  static let leave: [UInt8] = Array(
    "\u{1b}[?2026l\u{1b}[0m\u{1b}[?2004l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l".utf8
  )
}
