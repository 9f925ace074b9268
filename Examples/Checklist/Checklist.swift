/// A numbered list of checks, each with the actual result and a verdict.
///
/// A plain value that formats and counts the lines. Its owner prints them.
package struct Checklist: Sendable {
  /// The number of checked lines.
  package private(set) var count = 0

  /// The number of lines that failed.
  package private(set) var wrongCount = 0

  /// Creates an empty list.
  package init() {}

  /// Checks the next line.
  ///
  /// - Parameters:
  ///   - sentence: The claim of the line.
  ///   - found: The actual result.
  ///   - expected: The expected result.
  /// - Returns: The line with its number, the actual result and the verdict.
  package mutating func line(_ sentence: String, _ found: String, is expected: String) -> String {
    count += 1
    let number = count < 10 ? " \(count)" : "\(count)"
    guard found != expected else { return "\(number). ok  \(sentence): \(found)" }
    wrongCount += 1
    return "\(number). WRONG  \(sentence): \(found); expected: \(expected)"
  }

  /// The last line: the number of lines that are true.
  package var summary: String { "\(count - wrongCount) of \(count) lines are true." }

  /// The exit status of the program: 0 if every line is true, otherwise 1.
  ///
  /// A list without lines proves nothing; its status is 1.
  package var exitStatus: Int32 { count > 0 && wrongCount == 0 ? 0 : 1 }
}
