/// One cell of a canvas.
package struct Cell: Hashable, Sendable {
  /// The character; one cell wide.
  package var scalar: Unicode.Scalar
  /// The style.
  package var style: Style

  /// Creates a cell.
  package init(_ scalar: Unicode.Scalar = " ", _ style: Style = Style()) {
    self.scalar = scalar
    self.style = style
  }

  /// Returns the scalar to show for a character: itself if it is one cell wide on every terminal,
  /// otherwise `?`.
  ///
  /// The first scalar decides; combining marks are dropped. Texts come from untrusted files; nothing in
  /// them can move the cursor.
  package static func narrow(_ character: Character) -> Unicode.Scalar {
    guard let scalar = character.unicodeScalars.first, isNarrow(scalar) else { return "?" }
    return scalar
  }

  private static func isNarrow(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .unassigned, .privateUse, .surrogate, .nonspacingMark, .enclosingMark,
      .spacingMark, .lineSeparator, .paragraphSeparator:
      return false
    default: break
    }
    // From Hangul Jamo on, most scripts are wide, up to the punctuation; so are the brackets U+2329,
    // U+232A, the digrams of the Yijing, and emoji (Unicode Standard Annex 11).
    let isListed = scalar.value < 0x1100 || (0x2000..<0x2630).contains(scalar.value)
    let isLater =
      (0x2638..<0x268a).contains(scalar.value) || (0x2690..<0x2e80).contains(scalar.value)
    let isBracket = scalar.value == 0x2329 || scalar.value == 0x232a
    return (isListed || isLater) && !isBracket && !scalar.properties.isEmojiPresentation
  }
}
