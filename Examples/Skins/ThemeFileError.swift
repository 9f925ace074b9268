/// Why a file gave no theme: the file, the place in it, and the way out.
struct ThemeFileError: Error, CustomStringConvertible {
  /// The path of the file.
  let file: String
  /// What is wrong with it.
  let problem: String

  init(file: String, problem: String) {
    self.file = file
    self.problem = problem
  }

  init(file: String, _ error: DecodingError) {
    self.init(file: file, problem: Self.problem(error))
  }

  var description: String { "\(file): \(problem)" }

  private static func problem(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(let type, let context):
      "\(place(context)) is not what is expected there: write a value of type \(type)"
    case .valueNotFound(let type, let context):
      "\(place(context)) is null: write a value of type \(type), or leave it out"
    case .keyNotFound(let key, _):
      "\"\(key.stringValue)\" is missing: add it"
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      "this is no JSON that can be read to its end: look for a missing brace, quote or comma"
    case .dataCorrupted(let context):
      "\(place(context)): \(context.debugDescription)"
    @unknown default:
      "cannot be decoded"
    }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    let names = context.codingPath.map(\.stringValue)
    return names.isEmpty ? "the file" : "\"\(names.joined(separator: "."))\""
  }
}
