extension Range<Int> {
  /// Returns the first index that does not satisfy a predicate, which all indices before it satisfy.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  package func partitionPoint(_ precedes: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if precedes(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the index with a number.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - numberAt: Returns the number of an index; the numbers ascend.
  /// - Returns: The index, or `nil` if there is none.
  /// - Complexity: O(1) if no numbers are missing before it, otherwise O(log *n*).
  @inlinable
  @inline(__always)
  package func index<Number: BinaryInteger>(
    ofNumber number: Number,
    _ numberAt: (Int) -> Number
  ) -> Int? {
    if isEmpty { return nil }
    var index = lowerBound + Int(number) - Int(numberAt(lowerBound))
    if !contains(index) || numberAt(index) != number {
      index = partitionPoint { numberAt($0) < number }
    }
    return index < upperBound && numberAt(index) == number ? index : nil
  }
}
