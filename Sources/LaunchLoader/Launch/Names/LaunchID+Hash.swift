extension LaunchID: StableHashable {
  /// A hash value of the characters.
  ///
  /// The function is multiplicative, eight bytes at a time (D. E. Knuth, The Art
  /// of Computer Programming, 6.4). Texts that are canonically equivalent are equal, so their characters count,
  /// and all that are not ASCII count alike.
  var stableHash: Int {
    let known = unsafe rawValue.utf8.withContiguousStorageIfAvailable {  // Reason: only read.
      unsafe Self.hash(of: UnsafeRawBufferPointer($0))  // Reason: only read.
    }
    if let known, known.isASCII { return known.hash }
    let bytes = rawValue.map { character in
      // The only characters of ASCII that other characters are equivalent to.
      let equal = (["K", ";", "`"] as [Character]).first { $0 == character }
      return (equal ?? character).asciiValue ?? 0x80
    }
    return unsafe bytes.withUnsafeBytes { unsafe Self.hash(of: $0).hash }  // Reason: only read.
  }

  private static func hash(of bytes: UnsafeRawBufferPointer) -> (hash: Int, isASCII: Bool) {
    var (hash, all): (UInt64, UInt64) = (UInt64(bytes.count), 0)
    func combine(_ word: UInt64) {
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> (32 as UInt64)
      all |= word
    }
    var (at, rest) = (0, 0 as UInt64)
    while at + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)  // Reason: inside.
      combine(word)
      at += 8
    }
    while at < bytes.count {
      rest = rest << 8 | UInt64(unsafe bytes[at])  // Reason: inside.
      at += 1
    }
    combine(rest)
    // The low bits, which select the slot, depend on the high ones also in the last bytes.
    hash &*= 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> (32 as UInt64)
    return (Int(truncatingIfNeeded: hash), all & 0x8080_8080_8080_8080 == 0)
  }
}
