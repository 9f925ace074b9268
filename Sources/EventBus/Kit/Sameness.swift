/// Returns the comparison that decides whether a value replaces another: `==`, except that NaN counts as NaN.
///
/// By `==` alone, a property that is NaN would report each assignment of NaN, and properties that set each other would
/// never come to rest. NaN counts as equal to NaN in floating-point numbers and their vectors, and where these are in
/// optionals, arrays and dictionaries, nested in any way. Everything else, such as a structure, is what `==` says.
///
/// - Parameter type: The type of the values.
/// - Returns: The comparison, to be kept: it is chosen by the type once.
@inlinable
package func sameness<Value: Equatable>(
  of type: Value.Type = Value.self
) -> (Value, Value) -> Bool {
  if let known = numberSameness(of: type) { return known }
  return { $0 == $1 }
}

/// Returns the same comparison for any thread.
///
/// - Parameter type: The type of the values.
/// - Returns: The comparison.
@inlinable
package func sharedSameness<Value: Equatable & Sendable>(
  of type: Value.Type = Value.self
) -> @Sendable (Value, Value) -> Bool {
  numberSameness(of: type) ?? { $0 == $1 }
}

/// Returns the comparison of values that are or contain numbers; `nil` for other types, which `==` compares.
///
/// - Parameter type: The type of the values.
/// - Returns: The comparison.
/// - Complexity: Two lookups of conformances.
@usableFromInline
package func numberSameness<Value>(of type: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
  if let known = type as? any NaNComparable.Type {
    return (known.sameness as? Sameness<Value>)?.areSame
  }
  guard type is any FloatingPoint.Type else { return nil }
  return { areSameNumbers($0, $1) }
}

/// Returns whether two floating-point numbers of a type that is not known here are equal, where NaN equals NaN.
private func areSameNumbers(_ left: Any, _ right: Any) -> Bool {
  func isSame<Number: FloatingPoint>(_ left: Number) -> Bool {
    (right as? Number).map { left == $0 || left.isNaN && $0.isNaN } ?? false
  }
  return (left as? any FloatingPoint).map { isSame($0) } ?? false
}

/// A comparison as a value, whose type says what it compares.
private struct Sameness<Value>: Sendable {
  let areSame: @Sendable (Value, Value) -> Bool
}

/// A type whose values are or contain numbers, and so may differ from themselves by `==`.
private protocol NaNComparable: Equatable, SendableMetatype {
  /// Returns whether two values are equal, where NaN equals NaN.
  static func areSame(_ left: Self, _ right: Self) -> Bool

  /// Returns whether two sequences of values are equal, where NaN equals NaN.
  // A requirement, so that the loop over numbers is compiled for the type of the numbers.
  static func areSame(_ left: ArraySlice<Self>, _ right: ArraySlice<Self>) -> Bool
}

extension NaNComparable {
  /// The comparison, as a ``Sameness``.
  static var sameness: Any { Sameness<Self> { areSame($0, $1) } }

  static func areSame(_ left: ArraySlice<Self>, _ right: ArraySlice<Self>) -> Bool {
    // An array equals itself, whatever it contains, without a look at its elements.
    left == right || left.count == right.count && zip(left, right).allSatisfy { areSame($0, $1) }
  }
}

extension NaNComparable where Self: FloatingPoint {
  static func areSame(_ left: Self, _ right: Self) -> Bool {
    left == right || left.isNaN && right.isNaN
  }
}

extension Double: NaNComparable {}
extension Float: NaNComparable {}
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
extension Float16: NaNComparable {}
#endif
#if !(os(Windows) || os(Android)) && (arch(i386) || arch(x86_64))
extension Float80: NaNComparable {}
#endif

extension NaNComparable where Self: SIMD, Scalar: NaNComparable {
  static func areSame(_ left: Self, _ right: Self) -> Bool {
    left.indices.allSatisfy { Scalar.areSame(left[$0], right[$0]) }
  }
}

extension SIMD2: NaNComparable where Scalar: NaNComparable {}
extension SIMD3: NaNComparable where Scalar: NaNComparable {}
extension SIMD4: NaNComparable where Scalar: NaNComparable {}
extension SIMD8: NaNComparable where Scalar: NaNComparable {}
extension SIMD16: NaNComparable where Scalar: NaNComparable {}
extension SIMD32: NaNComparable where Scalar: NaNComparable {}
extension SIMD64: NaNComparable where Scalar: NaNComparable {}

extension Optional: NaNComparable where Wrapped: NaNComparable {
  static func areSame(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): Wrapped.areSame(left, right)
    default: false
    }
  }
}

extension Array: NaNComparable where Element: NaNComparable {
  static func areSame(_ left: [Element], _ right: [Element]) -> Bool {
    Element.areSame(left[...], right[...])
  }
}

extension ArraySlice: NaNComparable where Element: NaNComparable {
  static func areSame(_ left: ArraySlice, _ right: ArraySlice) -> Bool {
    Element.areSame(left, right)
  }
}

extension ContiguousArray: NaNComparable where Element: NaNComparable {
  static func areSame(_ left: ContiguousArray, _ right: ContiguousArray) -> Bool {
    Element.areSame(left[...], right[...])
  }
}

extension Dictionary: NaNComparable where Value: NaNComparable {
  static func areSame(_ left: [Key: Value], _ right: [Key: Value]) -> Bool {
    if left == right { return true }
    return left.count == right.count
      && left.allSatisfy { key, value in right[key].map { Value.areSame(value, $0) } ?? false }
  }
}
