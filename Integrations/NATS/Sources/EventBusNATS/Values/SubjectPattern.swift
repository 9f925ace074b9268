/// Patterns of subjects, with `*` for one token and `>` for all that follow.
package enum SubjectPattern {
  /// Whether a pattern covers a subject.
  package static func matches(_ subject: String, pattern: String) -> Bool {
    let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
    let wanted = pattern.split(separator: ".", omittingEmptySubsequences: false)
    for (index, token) in wanted.enumerated() {
      if token == ">" { return tokens.count > index }
      guard index < tokens.count, token == "*" || token == tokens[index] else { return false }
    }
    return tokens.count == wanted.count
  }
}
