/// Returns the comparison that decides whether a value replaces another: `==`, except that NaN counts as NaN.
///
/// By `==` alone, a property that is NaN would report each assignment of NaN, and properties that set each other would
/// never come to rest. NaN counts as equal to NaN as the value itself, in an optional, in a structure or an
/// enumeration, and among the elements of an array or the values of a dictionary of numbers. Everything else is what
/// `==` says.
///
/// - Parameter type: The type of the values.
/// - Returns: The comparison, to be kept: it is chosen by the type once.
@inlinable
package func sameness<Value: Equatable>(
  of type: Value.Type = Value.self
) -> (Value, Value) -> Bool {
  // An array equals itself, whatever it contains. Without references there is none.
  if _isPOD(Value.self) || !isNumberCollection(Value.self) { return { areSame($0, $1) } }
  return { $0 == $1 || areSameNumbers($0, $1) }
}

/// Returns the same comparison for any thread.
///
/// - Parameter type: The type of the values.
/// - Returns: The comparison.
@inlinable
package func sharedSameness<Value: Equatable & Sendable>(
  of type: Value.Type = Value.self
) -> @Sendable (Value, Value) -> Bool {
  if _isPOD(Value.self) || !isNumberCollection(Value.self) { return { areSame($0, $1) } }
  return { $0 == $1 || areSameNumbers($0, $1) }
}

/// Returns whether two values are equal, where NaN equals NaN, unless it is in a collection.
@inlinable
package func areSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
  if left == right { return true }
  // Only what contains a NaN differs from itself; of integers, the compiler knows that.
  return left != left && right != right && differOnlyInNaN(left, right)
}

/// Returns whether two values that differ by `==` contain NaN in the same places and are equal otherwise.
@usableFromInline
package func differOnlyInNaN(_ left: Any, _ right: Any) -> Bool {
  (sharedNaNs(left, right) ?? 0) > 0
}

/// Returns the number of places where both values contain NaN, or `nil` if they differ in any other way.
private func sharedNaNs(_ left: Any, _ right: Any) -> Int? {
  func isEqual<Known: Equatable>(_ left: Known) -> Bool {
    (right as? Known).map { left == $0 } ?? false
  }
  func isNaN(_ number: some FloatingPoint) -> Bool { number.isNaN }
  if let known = left as? any Equatable, isEqual(known) { return 0 }
  if let left = left as? any FloatingPoint, let right = right as? any FloatingPoint {
    return isNaN(left) && isNaN(right) ? 1 : nil
  }
  if areSameNumbers(left, right) { return 1 }
  let (one, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
  guard one.subjectType == other.subjectType, one.displayStyle != .class, !one.children.isEmpty,
    one.children.count == other.children.count
  else { return nil }
  var count = 0
  for (one, other) in zip(one.children, other.children) {
    guard one.label == other.label, let more = sharedNaNs(one.value, other.value) else {
      return nil
    }
    count += more
  }
  // Equal parts of a value that differs all the same: only its `==` knows why.
  return count > 0 ? count : nil
}

/// A collection of floating-point numbers.
private protocol NumberCollection {
  /// Returns whether the other collection has the same type and the same numbers, where NaN equals NaN.
  func hasSameNumbers(as other: Any) -> Bool
}

extension NumberCollection where Self: RandomAccessCollection, Element: FloatingPoint {
  func hasSameNumbers(as other: Any) -> Bool {
    guard let other = other as? Self, count == other.count else { return false }
    return zip(self, other).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
  }
}

extension Array: NumberCollection where Element: FloatingPoint {}
extension ArraySlice: NumberCollection where Element: FloatingPoint {}
extension ContiguousArray: NumberCollection where Element: FloatingPoint {}

extension Dictionary: NumberCollection where Value: FloatingPoint {
  func hasSameNumbers(as other: Any) -> Bool {
    guard let other = other as? Self, count == other.count else { return false }
    return allSatisfy { key, value in
      guard let found = other[key] else { return false }
      return value == found || value.isNaN && found.isNaN
    }
  }
}

/// Returns whether values of a type are collections of floating-point numbers.
@usableFromInline
package func isNumberCollection(_ type: Any.Type) -> Bool { type is any NumberCollection.Type }

/// Returns whether two values are collections with the same floating-point numbers, where NaN equals NaN.
@usableFromInline
package func areSameNumbers(_ left: Any, _ right: Any) -> Bool {
  (left as? any NumberCollection)?.hasSameNumbers(as: right) ?? false
}
