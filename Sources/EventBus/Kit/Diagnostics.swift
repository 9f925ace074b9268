#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// Stops the program because of a programming error.
///
/// All traps of the package go through this function. Unlike `precondition`, it prints the reason in release builds, too.
///
/// - Parameters:
///   - problem: The error, with the name of the thing that is wrong.
///   - remedy: The correction.
///   - fileID: The caller's file ID, which starts with the module name.
package func trap(_ problem: String, remedy: String, fileID: String = #fileID) -> Never {
  fatalError("\(fileID.prefix { $0 != "/" }): \(problem). \(remedy).")  // Reason: the one trap.
}

/// Standard error, for messages without a hook.
package enum StandardError: Sendable {
  /// Writes a line, with a single system call unless the write is partial.
  package static func print(_ line: String) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in  // Reason: within the call.
        unsafe write(2, bytes.baseAddress, bytes.count)  // Reason: within the bytes.
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
