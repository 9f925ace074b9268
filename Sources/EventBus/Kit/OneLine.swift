extension String {
  /// The text with its line breaks and other control characters escaped, for example as `\n`.
  ///
  /// - Complexity: O(*n*) in the number of scalars.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: \.needsEscape) else { return self }
    return unicodeScalars.reduce(into: "") { line, scalar in
      if scalar.needsEscape {
        line += scalar.escaped(asASCII: true)
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// True if the scalar controls a terminal or begins a line.
  fileprivate var needsEscape: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
