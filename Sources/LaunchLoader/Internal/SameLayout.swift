/// Looks at a value as one of another type that is laid out alike.
internal enum SameLayout {
  /// The same bits, called otherwise.
  ///
  /// Closures are handed in and out inside structures: a bare one would get a wrapper on the way.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - type: What it is called from now on. Only its name differs, and what the compiler knows of it.
  /// - Returns: The value.
  internal static func view<Value, Other>(_ value: Value, as type: Other.Type) -> Other {
    unsafe unsafeBitCast(value, to: type)  // Reason: see above; the caller names the two types.
  }
}
