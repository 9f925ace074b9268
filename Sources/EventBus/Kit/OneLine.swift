extension String {
  /// The text with a full stop at its end, unless it ends with a mark of its sentence already.
  package var asSentence: String {
    guard let last, !".!?".contains(last) else { return self }
    return self + "."
  }

  /// The text with its first letter in upper case.
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

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
