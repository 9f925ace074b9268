extension StaticString {
  /// Whether the text is the same; two literals at one address are, without a look at the text.
  ///
  /// - Complexity: O(1) for the same literal, otherwise O(*n*) in the length of the text.
  internal func isSame(as other: StaticString) -> Bool {
    guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
    guard hasPointerRepresentation && other.hasPointerRepresentation else {
      return description == other.description
    }
    let isOne = unsafe utf8Start == other.utf8Start  // Reason: addresses are compared, not read.
    return isOne || description == other.description
  }
}
