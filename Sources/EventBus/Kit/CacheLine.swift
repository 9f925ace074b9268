/// Bytes that keep what different threads write in different cache lines.
package struct CacheLine: Sendable {
  private let bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  /// Creates the bytes.
  package init() {}
}
