import Theming

/// The reason a file contains no valid theme: the file, the path of the error, and the remedy.
struct ThemeFileError: Error, CustomStringConvertible {
  /// The path of the file.
  let file: String
  /// The problem and its remedy.
  let problem: String

  init(file: String, problem: String) {
    self.file = file
    self.problem = problem
  }

  init(_ issue: ThemeFileIssue) {
    switch issue.problem {
    case .unreadable(let error as ThemeFileError): self = error
    case .unreadable(let error as DecodingError):
      self.init(file: issue.file, problem: Self.problem(error))
    case .unreadable(let error): self.init(file: issue.file, problem: "\(error)")
    case .refused(let error) where !error.issues.isEmpty:
      self.init(file: issue.file, issues: error.issues)
    case .refused(let error): self.init(file: issue.file, problem: "\(error)")
    case .leftOut(let part): self.init(file: issue.file, issues: [part])
    }
  }

  /// Lists the first issues and the number of the others, because a file can have any number.
  private init(file: String, issues: [ThemeIssue]) {
    var problems = issues.prefix(8).map { "\($0)" }
    let rest = issues.count - problems.count
    if rest > 0 { problems.append("… and \(Self.grouped(rest)) more") }
    self.init(file: file, problem: problems.joined(separator: "; "))
  }

  var description: String { "\(file): \(problem)" }

  /// Formats a number with thousands separators.
  private static func grouped(_ number: Int) -> String {
    number < 1_000
      ? "\(number)"
      : grouped(number / 1_000) + "," + "\(1_000 + number % 1_000)".dropFirst()
  }

  private static func problem(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(let type, let context):
      "\(location(context)) has the wrong type: write a value of type \(type)"
    case .valueNotFound(let type, let context):
      "\(location(context)) is null: write a value of type \(type), or leave it out"
    case .keyNotFound(let key, _):
      "\"\(key.stringValue)\" is missing: add it"
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      "not complete JSON: look for a missing brace, quote or comma"
    case .dataCorrupted(let context):
      "\(location(context)): \(context.debugDescription)"
    @unknown default:
      "cannot be decoded"
    }
  }

  private static func location(_ context: DecodingError.Context) -> String {
    let names = context.codingPath.map(\.stringValue)
    return names.isEmpty ? "the file" : "\"\(names.joined(separator: "."))\""
  }
}
