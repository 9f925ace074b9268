#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The place for what nobody else was told: one line a call, written at once.
package enum StandardError: Sendable {
  /// Writes a line.
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
