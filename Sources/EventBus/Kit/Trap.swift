/// Stops the program because of a programming error.
///
/// All traps of the package go through this function. Unlike `precondition`, it prints the reason even in release
/// builds.
///
/// - Parameters:
///   - problem: The error as a sentence without its full stop, with the name of the thing that is wrong.
///   - remedy: The correction, in the same form.
///   - fileID: The file of the user's call, or of the property; by default, the file of the trap.
///   - line: The line in that file.
///   - library: A file of the library, which begins with the name of its module.
package func trap(
  _ problem: String,
  remedy: String,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  library: StaticString = #fileID
) -> Never {
  let module = "\(library)".prefix { $0 != "/" }
  let message = "\(module): \(problem). \(remedy)."
  fatalError(message, file: fileID, line: line)  // Reason: the only trap of the package.
}
