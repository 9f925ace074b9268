/// Stops the program because of a programming error.
///
/// Unlike `precondition`, it prints the reason even in release builds.
///
/// - Parameters:
///   - problem: The error as a sentence without its full stop, with the name of the thing that is wrong.
///   - remedy: The correction, in the same form.
///   - fileID: The file of the user's call.
///   - line: The line in that file.
func trap(_ problem: String, remedy: String, fileID: StaticString, line: UInt) -> Never {
  let message = "EventBusNATS: \(problem). \(remedy)."
  fatalError(message, file: fileID, line: line)  // Reason: the only trap of the package.
}
