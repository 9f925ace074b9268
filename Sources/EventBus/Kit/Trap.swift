/// Stops the program because of a programming error.
///
/// All traps of the package go through this function. Unlike `precondition`, it prints the reason in release
/// builds, too.
///
/// - Parameters:
///   - problem: The error, with the name of the thing that is wrong.
///   - remedy: The correction.
///   - fileID: The caller's file, which begins with the name of its module.
///   - line: The caller's line.
package func trap(
  _ problem: String,
  remedy: String,
  fileID: StaticString = #fileID,
  line: UInt = #line
) -> Never {
  let module = "\(fileID)".prefix { $0 != "/" }
  let message = "\(module): \(problem). \(remedy)."
  fatalError(message, file: fileID, line: line)  // Reason: the only trap of the package.
}
