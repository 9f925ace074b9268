// The layout of the texts of reports and plans, in characters.

extension String {
  /// The lines that are not empty.
  @inline(never)
  package var lines: [Substring] { split(whereSeparator: \.isNewline) }

  /// Returns the text with blanks after it, or before it, if it has fewer characters than a width.
  func padded(to width: Int, before: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - count))
    return before ? blanks + self : self + blanks
  }

  /// Shortens a text at its start, because generated names differ at their end.
  ///
  /// - Parameter limit: The maximum number of characters.
  /// - Returns: The text on one line, after `…` if it is longer.
  func shortened(to limit: Int) -> String {
    let line = lines.joined(separator: " ")
    return line.count > limit ? "…" + line.suffix(limit - 1) : line
  }
}
