#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

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

/// Writes a line to standard error, for messages without a hook.
///
/// Takes a single system call unless the write is partial.
package func printError(_ line: String) {
  var rest = Array((line + "\n").utf8)[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { bytes in  // Reason: within the call.
      unsafe write(2, bytes.baseAddress, bytes.count)  // Reason: within the bytes.
    }
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return }
    rest = rest.dropFirst(count)
  }
}
