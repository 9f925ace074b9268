extension [String] {
  /// Calls a closure with C strings, which are valid until it returns.
  func withCStrings<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    // Reason for all: each copy is initialized as a whole, and freed here.
    let copies = unsafe map { text in
      let bytes = Array<CChar>(text.utf8CString)
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
      _ = unsafe copy.initialize(from: bytes)
      return unsafe copy
    }
    defer { unsafe copies.forEach { unsafe $0.deallocate() } }
    return unsafe body(copies.map { unsafe UnsafePointer($0.baseAddress) })
  }
}
