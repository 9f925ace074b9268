/// A value of one isolation domain whose exclusivity is enforced by a flag.
///
/// For a stored property of a class, the compiler's exclusivity check calls into the runtime on every
/// access; here the check is a branch. The rule is the same: accessing the value while it is being mutated
/// in place traps.
@safe @usableFromInline
final class ValueCell<Value> {
  @exclusivity(unchecked) @usableFromInline var content: Value
  @exclusivity(unchecked) @usableFromInline var isLent = false
  @exclusivity(unchecked) @usableFromInline var address: UInt = 0
  /// The source file of the property, for messages.
  let fileID: StaticString
  /// The line in that file.
  let line: UInt

  init(_ value: Value, fileID: StaticString, line: UInt) {
    unsafe content = value  // Reason: initialization; no other access exists.
    self.fileID = fileID
    self.line = line
  }

  /// A Boolean value that indicates whether the value is observed.
  @inlinable
  var isObserved: Bool { unsafe address != 0 }  // Reason: an instantaneous read.

  /// The address of the observers, which the cell's owner retains; zero without observers.
  @inlinable
  var observer: UInt {
    get { unsafe address }  // Reason: an instantaneous read.
    set { unsafe address = newValue }  // Reason: an instantaneous write.
  }

  /// The value; a mutation in place has exclusive access until it ends.
  @inlinable
  var value: Value {
    get {
      if unsafe isLent { trapOnNestedAccess() }  // Reason: an instantaneous read.
      return unsafe content  // Reason: no mutation is in progress.
    }
    _modify {
      if unsafe isLent { trapOnNestedAccess() }  // Reason: an instantaneous read.
      unsafe isLent = true  // Reason: an instantaneous write.
      defer { unsafe isLent = false }  // Reason: as above.
      yield unsafe &content  // Reason: the flag excludes every other access.
    }
  }

  /// The value, or `nil` while it is being mutated in place.
  var settled: Value? {
    unsafe isLent ? nil : content  // Reason: read only while no mutation is in progress.
  }

  /// Stores a value.
  ///
  /// The caller releases the old value after the access has ended, because a deinitializer may read the
  /// cell.
  ///
  /// - Returns: The old value.
  @inlinable
  func exchange(_ value: Value) -> Value {
    if unsafe isLent { trapOnNestedAccess() }  // Reason: an instantaneous read.
    var value = value
    unsafe swap(&content, &value)  // Reason: runs no foreign code.
    return value
  }

  @usableFromInline
  func trapOnNestedAccess() -> Never {
    trap(
      "the property at \(fileID):\(line) was accessed while it was being mutated in place",
      remedy: "Inside the mutation, use only the value that is being mutated"
    )
  }
}

@available(*, unavailable)
extension ValueCell: Sendable {}
