/// Returns what is wrong with a value that could not be decoded, and what to write instead.
///
/// - Parameters:
///   - error: An error of the decoder, or of the type of the value.
///   - pathLength: The number of keys on the path to the value; the rest of an error's path leads
///     to a part of the value.
/// - Returns: A clause whose subject is the value, of at most 300 characters.
func valueProblem(_ error: any Error, pathLength: Int) -> String {
  func part(_ context: DecodingError.Context) -> String {
    let names = context.codingPath.dropFirst(pathLength).map(\.stringValue)
    return names.isEmpty ? "" : " at \"\(names.joined(separator: "."))\""
  }
  func form(_ type: Any.Type) -> String {
    switch type {
    case is [String: Any].Type: "an object"
    case is [Any].Type: "a list"
    default: "a value of type \(type)"
    }
  }
  let problem =
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      "has the wrong type\(part(context)): write \(form(type))"
    case DecodingError.valueNotFound(let type, let context):
      "is null\(part(context)): write \(form(type)), or leave it out"
    case DecodingError.keyNotFound(let key, let context):
      "has no \"\(key.stringValue)\"\(part(context)): add it"
    case DecodingError.dataCorrupted(let context):
      "cannot be read\(part(context)): \(context.debugDescription)"
    default: "cannot be read: \(error)"
    }
  return String(problem.prefix(300))
}
