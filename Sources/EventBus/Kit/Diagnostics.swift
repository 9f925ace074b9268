#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

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
