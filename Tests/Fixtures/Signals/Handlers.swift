#if os(Linux) || os(macOS)

/// Handlers of signals that are none of the library's.
enum Handlers {
  /// Prints `handler` and the number for each such signal.
  static func install(_ number: Int32) {
    install(number) { number in
      var line: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (
        0x68, 0x61, 0x6e, 0x64, 0x6c, 0x65, 0x72, 0x20, 0x30, 0x30, 0x0a
      )
      line.8 += UInt8(truncatingIfNeeded: number / 10)
      line.9 += UInt8(truncatingIfNeeded: number % 10)
      _ = unsafe write(1, &line, 11)  // Reason: within the bytes.
    }
  }

  /// Writes the number plus a hundred as one byte for each such signal.
  static func installByte(_ number: Int32) {
    install(number) { number in
      var byte = UInt8(truncatingIfNeeded: number + 100)
      _ = unsafe write(1, &byte, 1)  // Reason: one byte.
    }
  }

  static func ignore(_ number: Int32) { _ = signal(number, SIG_IGN) }

  private static func install(_ number: Int32, _ body: @convention(c) (Int32) -> Void) {
    _ = signal(number, body)
  }
}
#endif
