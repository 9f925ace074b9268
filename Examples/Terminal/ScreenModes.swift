/// The terminal modes of a full-screen program (xterm, "DEC Private Mode Set").
enum ScreenModes {
  /// Enables the alternate screen, bracketed paste and reports of the mouse, and disables the cursor and
  /// line wrapping.
  static let enter: [UInt8] = Array(
    "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?2004h\u{1b}[?1000h\u{1b}[?1006h".utf8
  )

  /// Restores all of these modes in reverse order.
  ///
  /// The sequence begins with the end of a frame, because a signal may arrive within one.
  static let leave: [UInt8] = Array(
    "\u{1b}[?2026l\u{1b}[0m\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?2004l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
      .utf8
  )
}
