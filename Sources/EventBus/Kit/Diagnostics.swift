#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// Stops the program because of a mistake in the calling code: the one place where the package traps.
///
/// Unlike `precondition`, it gives the reason in release builds, too.
///
/// - Parameters:
///   - problem: What is wrong, naming the thing.
///   - remedy: What to do instead.
///   - fileID: The caller's file, which begins with the name of its module.
package func trap(_ problem: String, remedy: String, fileID: String = #fileID) -> Never {
  fatalError("\(fileID.prefix { $0 != "/" }): \(problem). \(remedy).")  // Reason: the one trap.
}

/// Standard error, for messages that no hook receives.
package enum StandardError: Sendable {
  /// Writes a line, with one system call if the system takes it whole.
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
