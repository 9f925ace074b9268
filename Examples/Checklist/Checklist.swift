/// A story in numbered lines, each with what was found and whether that is what it should be.
///
/// A plain value: it makes the lines and keeps the count; printing them is up to its owner.
package struct Checklist: Sendable {
  /// How many lines were checked.
  package private(set) var count = 0

  /// How many of them were wrong.
  package private(set) var wrongCount = 0

  /// Creates an empty list.
  package init() {}

  /// Checks the next line.
  ///
  /// - Parameters:
  ///   - sentence: What the line claims.
  ///   - found: What the run gave.
  ///   - expected: What it should have given.
  /// - Returns: The line with its number, what was found and the verdict.
  package mutating func line(_ sentence: String, _ found: String, is expected: String) -> String {
    count += 1
    let number = count < 10 ? " \(count)" : "\(count)"
    guard found != expected else { return "\(number). ok  \(sentence): \(found)" }
    wrongCount += 1
    return "\(number). WRONG  \(sentence): \(found); expected: \(expected)"
  }

  /// The last line: how many of the others are true.
  package var summary: String { "\(count - wrongCount) of \(count) lines are true." }

  /// The exit status of the program that tells the story: 0 if every line is true, otherwise 1.
  ///
  /// A story without a line proves nothing: 1.
  package var exitStatus: Int32 { count > 0 && wrongCount == 0 ? 0 : 1 }
}
