#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The place for what nobody else was told: one line a call, written at once.
package enum StandardError {
  /// Writes a line.
  package static func print(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe write(2, bytes.baseAddress?.advanced(by: written), bytes.count - written)  // Reason: within the bytes.
        if count <= 0 { return }
        written += count
      }
    }
  }
}
